/** A path as locations are compared with it. */
export interface ReadPath {
  /** Decoded, without `//`, `/./` and `/../`. Each character is one byte. */
  readonly path: string;
  /** Without the question mark; undefined: there is none. */
  readonly query?: string;
}

/** Bytes of a request line that no URI may have. */
const controls = /[\0-\x20\x7f]/;

/**
 * Reads the target of a request line as nginx does: escapes are decoded once, dots resolved, slashes merged. Undefined: it answers 400.
 * Source: `ngx_http_parse_complex_uri`, with `merge_slashes on`.
 */
export function readPath(target: string): ReadPath | undefined {
  if (!target.startsWith('/') || controls.test(target)) return undefined;
  const [whole = ''] = target.split('#', 1);
  const mark = whole.indexOf('?');
  const raw = mark < 0 ? whole : whole.slice(0, mark);
  const decoded = decode(raw);
  const path = decoded === undefined ? undefined : resolveDots(decoded);
  return path === undefined ? undefined : { path, ...(mark >= 0 && { query: whole.slice(mark + 1) }) };
}

/** A text as its bytes in UTF-8, one character each: nginx compares bytes. */
export const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** The other way round. */
export const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** Each escape as its byte. An escaped byte 0 is malformed, and so is an escape that is none. */
function decode(raw: string): string | undefined {
  const bytes = bytesOf(raw);
  if (/%(?![0-9a-f]{2})|%00/i.test(bytes)) return undefined;
  return bytes.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Undefined: it leads above the root. */
function resolveDots(path: string): string | undefined {
  const segments = path.split('/').slice(1);
  const last = segments.at(-1);
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.pop() === undefined) return undefined;
  }
  const isFolder = last === '' || last === '.' || last === '..';
  return kept.length === 0 ? '/' : `/${kept.join('/')}${isFolder ? '/' : ''}`;
}

/** Characters of a path that nginx escapes when it writes one itself. Source: `ngx_escape_uri`, `NGX_ESCAPE_URI`. */
const escaped = /[\0-\x20"#%<>?\\^`{|}\x7f-\xff]/g;

/** A path of bytes as it is written to a backend. */
export const escapePath = (path: string): string =>
  path.replaceAll(escaped, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** What nginx makes of both: an empty query is none. */
export const withQuery = (path: string, query = ''): string => (query === '' ? path : `${path}?${query}`);
