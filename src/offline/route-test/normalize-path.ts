import type * as ir from '../../ir/index.ts';

/** What Envoy makes of a path before routes are compared with it. */
export interface NormalizedPath {
  /** Without query. */
  readonly path: string;
  readonly query?: string;
  /** It had escaped slashes: the client is sent to the path with them unescaped. */
  readonly redirected: boolean;
  /** It has escaped slashes, which are not taken. */
  readonly rejected: boolean;
}

const escapedSlash = /%(?:2f|5c)/gi;

/**
 * Escaped slashes are unescaped, `.` and `..` resolved, backslashes made slashes, several slashes made one, each unless the listener's
 * policy says otherwise. As `path_with_escaped_slashes_action`, `normalize_path` and `merge_slashes` of Envoy's HttpConnectionManager do, in this order.
 */
export function normalizePath(
  target: string,
  { normalize = true, mergeSlashes = true, escapedSlashes = 'UnescapeAndRedirect' }: ir.PathSettings = {},
): NormalizedPath {
  const [, rawPath = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  const isUnescaped = escapedSlashes === 'UnescapeAndRedirect' || escapedSlashes === 'UnescapeAndForward';
  const unescaped = isUnescaped ? unescapeSlashes(rawPath) : rawPath;
  const resolved = normalize ? resolveDots(unescaped) : unescaped;
  return {
    path: mergeSlashes ? mergedSlashes(resolved) : resolved,
    ...(query !== undefined && { query }),
    redirected: escapedSlashes === 'UnescapeAndRedirect' && unescaped !== rawPath,
    rejected: escapedSlashes === 'Reject' && unescapeSlashes(rawPath) !== rawPath,
  };
}

/** Envoy keeps a slash at the beginning and one at the end: a path of slashes alone becomes `//`. Source: PathUtil::mergeSlashes. */
const mergedSlashes = (path: string): string => (/^\/{2,}$/.test(path) ? '//' : path.replace(/\/{2,}/g, '/'));

const unescapeSlashes = (path: string): string =>
  path.replace(escapedSlash, (code) => (code.toLowerCase() === '%2f' ? '/' : '\\'));

function resolveDots(path: string): string {
  // Some servers take parameters away before they resolve dots, so Envoy does: `/a/..;x/b` is `/b`.
  const plain = path.replace(/\/(\.\.?);[^/]*/g, '/$1');
  // A URL parser of the same standard as Envoy's. The host keeps `//` at the beginning from being read as one.
  const { pathname } = new URL(`http://host${plain}`);
  return unescapeUnreserved(pathname).replaceAll('|', '%7C');
}

/** Envoy's parser unescapes what need not be escaped, and escapes the bar; the standard's does not. */
const unescapeUnreserved = (path: string): string =>
  path.replace(/%(?:2d|2e|3\d|4[1-9a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9a]|7e)/gi, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
