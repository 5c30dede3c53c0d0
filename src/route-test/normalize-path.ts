/** What Envoy makes of a path before routes are compared with it. */
export interface NormalizedPath {
  /** Without query. */
  readonly path: string;
  readonly query?: string;
  /** It had escaped slashes: the client is sent to the path with them unescaped. */
  readonly redirected: boolean;
}

const escapedSlash = /%(?:2f|5c)/gi;

/**
 * Escaped slashes are unescaped, `.` and `..` resolved, backslashes made slashes, several slashes made one. As
 * `path_with_escaped_slashes_action`, `normalize_path` and `merge_slashes` of Envoy's HttpConnectionManager do, in this order.
 */
export function normalizePath(target: string): NormalizedPath {
  const [, rawPath = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  const unescaped = rawPath.replace(escapedSlash, (code) => (code.toLowerCase() === '%2f' ? '/' : '\\'));
  // A URL parser of the same standard as Envoy's. The host keeps `//` at the beginning from being read as one.
  const { pathname } = new URL(`http://host${unescaped}`);
  return {
    path: unescapeUnreserved(pathname)
      .replaceAll('|', '%7C')
      .replace(/\/{2,}/g, '/'),
    ...(query !== undefined && { query }),
    redirected: unescaped !== rawPath,
  };
}

/** Envoy's parser unescapes what need not be escaped, and escapes the bar; the standard's does not. */
const unescapeUnreserved = (path: string): string =>
  path.replace(/%(?:2d|3\d|4[1-9a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9a]|7e)/gi, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
