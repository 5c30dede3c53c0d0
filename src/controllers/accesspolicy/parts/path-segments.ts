/** Whether a path has segments that lead out of it, also encoded. */
export const hasDotSegments = (path: string): boolean =>
  path.split('/').some((segment) => ['.', '..'].includes(segment.replace(/%2e/gi, '.')));
