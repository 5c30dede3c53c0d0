/**
 * A path of nginx that is no expression, as a match of a route has it: nginx compares decoded paths, proxies encoded ones. Undefined if no
 * request has it: paths begin with a slash, and are compared without empty segments and those of dots.
 */
export function literalPath(path: string): string | undefined {
  if (!path.startsWith('/') || /\/\/|\/\.{1,2}(?:\/|$)/.test(path)) return undefined;
  return path.replaceAll(/[^-A-Za-z0-9/._~!$&'()*+,;=:@]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
