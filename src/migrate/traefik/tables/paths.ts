import type { Table, Visit } from '../../kit/table.ts';
import { listOf, textOf, textsOf } from '../../kit/values.ts';

/** What a middleware does to the path, in order; the draft has them as `Paths.list`. */
export type PathChange =
  | { readonly kind: 'strip'; readonly pattern: string; readonly prefix: string | undefined }
  | { readonly kind: 'add'; readonly prefix: string }
  | { readonly kind: 'replace'; readonly path: string }
  | { readonly kind: 'regex'; readonly pattern: string; readonly substitution: string };

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const push = (visit: Visit, change: PathChange): void => visit.draft.push('Paths.list', change);

/** Middlewares that change the path. Their tables are below the name of the middleware. */
export const pathTables: Readonly<Record<string, Table>> = {
  stripPrefix: {
    prefixes: {
      by: (value, visit) => {
        const prefixes = textsOf(value).map((prefix) => `/${prefix.replaceAll(/^\/+|\/+$/g, '')}`);
        const [only] = prefixes;
        const isOne = prefixes.length === 1;
        push(visit, { kind: 'strip', pattern: prefixes.map(escaped).join('|'), prefix: isOne ? only : undefined });
        if (!isOne) visit.note('differs', 'backends get no X-Forwarded-Prefix where there are several prefixes');
      },
      knows: ['[]'],
    },
    forceSlash: { none: 'paths begin with a slash always' },
  },
  stripPrefixRegex: {
    regex: {
      by: (value, visit) => {
        push(visit, {
          kind: 'strip',
          pattern: textsOf(value)
            .map((regex) => regex.replace(/^\^/, ''))
            .join('|'),
          prefix: undefined,
        });
        visit.note('differs', 'backends get no X-Forwarded-Prefix');
      },
      knows: ['[]'],
    },
  },
  addPrefix: { prefix: { by: (value, visit) => push(visit, { kind: 'add', prefix: textOf(value) }), knows: [] } },
  replacePath: {
    path: {
      by: (value, visit) => {
        push(visit, { kind: 'replace', path: textOf(value) });
        visit.note('differs', 'backends get no X-Replaced-Path');
      },
      knows: [],
    },
  },
  replacePathRegex: {
    regex: { by: (value, visit) => visit.set('Regex.pattern', textOf(value)), knows: [] },
    replacement: {
      by: (value, visit) => {
        const substitution = substitutionOf(textOf(value));
        if (substitution === undefined) visit.lose('groups have numbers, not names');
        else push(visit, { kind: 'regex', pattern: textOf(visit.draft.get('Regex.pattern')), substitution });
        visit.note('differs', 'backends get no X-Replaced-Path');
      },
      knows: [],
    },
  },
};

/** A replacement of Go, with `$1` and `${1}`, in the words of RE2; undefined if it names groups. */
function substitutionOf(text: string): string | undefined {
  let isKnown = true;
  const made = text.replaceAll(
    /\\|\$(?:\$|\{(\w+)\}|(\w+))/g,
    (part, braced: string | undefined, bare: string | undefined) => {
      if (part === '\\') return '\\\\';
      if (part === '$$') return '$';
      const group = braced ?? bare ?? '';
      if (!/^\d$/.test(group)) isKnown = false;
      return `\\${group}`;
    },
  );
  return isKnown ? made : undefined;
}

/** What all changes of a path are together: a rewrite by one expression, or of the whole path; null if there is no word for them. */
export function rewriteOf(
  list: unknown,
): { readonly pattern: string; readonly substitution: string } | { readonly path: string } | null | undefined {
  const changes = listOf(list ?? []) as readonly PathChange[];
  const [first, second, ...others] = changes;
  if (first === undefined) return undefined;
  if (others.length > 0) return null;
  if (second === undefined) {
    if (first.kind === 'replace') return { path: first.path };
    if (first.kind === 'regex') return { pattern: first.pattern, substitution: first.substitution };
    if (first.kind === 'add') return { pattern: '^(/.*)$', substitution: `${plain(first.prefix)}\\1` };
    return { pattern: `^(?:${first.pattern})/?(.*)$`, substitution: `/${lastGroup(first.pattern)}` };
  }
  if (first.kind === 'strip' && second.kind === 'add')
    return {
      pattern: `^(?:${first.pattern})/?(.*)$`,
      substitution: `${plain(second.prefix)}/${lastGroup(first.pattern)}`,
    };
  return null;
}

/** The group behind those of a pattern. */
const lastGroup = (pattern: string): string => `\\${(pattern.match(/(?<!\\)\((?!\?)/g)?.length ?? 0) + 1}`;

const plain = (prefix: string): string => `${prefix.startsWith('/') ? '' : '/'}${prefix}`.replaceAll('\\', '\\\\');

/** A redirect by an expression for the whole URL, where it changes host and scheme alone; undefined for others. */
export function hostRedirect(
  regex: string,
  replacement: string,
): { readonly scheme: string; readonly hostname: string } | undefined {
  if (!/^\^https?\??:\/\/[^/]*(?:\/\(\.\*\)|\(\/\.\*\)|\(\.\*\))\$?$/.test(regex)) return undefined;
  const [, scheme, hostname] = /^(https?):\/\/([a-z0-9][-a-z0-9.]*)\/?\$(?:1|\{1\})$/i.exec(replacement) ?? [];
  if (scheme === undefined || hostname === undefined) return undefined;
  // Another group in front of the path would be the first one.
  const groups = regex.match(/(?<!\\)\((?!\?)/g)?.length ?? 0;
  return groups === 1 ? { scheme: scheme.toLowerCase(), hostname: hostname.toLowerCase() } : undefined;
}
