interface PathMatch {
  readonly exact?: string | undefined;
  readonly prefix?: string | undefined;
  readonly regex?: string | undefined;
}

/** Whether a normalized path is one of those that policies name. */
export function isPath({ exact, prefix, regex = '' }: PathMatch, path: string): boolean {
  if (exact !== undefined) return path === exact;
  if (prefix === undefined) return new RegExp(`^(?:${regex})$`).test(path);
  const bare = prefix.replace(/\/+$/, '');
  return path === bare || path.startsWith(`${bare}/`);
}
