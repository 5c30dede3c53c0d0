import type { Authorization } from './authorization.ts';
import { literalPattern } from './literal-pattern.ts';
import type { PathMatch } from './route-match.ts';

/**
 * The same paths, and those in which segments have parameters, such as `/admin;v=1/x` and `/;a/admin` for `/admin`: many servers take these off
 * before they look at a path. For what denies by path, so that no spelling gets around it.
 */
export function withPathParameters({ kind, value }: PathMatch): PathMatch {
  if (kind === 'regex' || (kind === 'prefix' && value === '/')) return { kind, value };
  const segments = value.match(/[^/]+/g) ?? [];
  const body = segments.map((segment) => `(?:/;[^/]*)*/${literalPattern(segment)}(?:;[^/]*)?`).join('');
  if (kind === 'prefix') return { kind: 'regex', value: `${body}(?:/.*)?` };
  return { kind: 'regex', value: `${body}${value.endsWith('/') ? '(?:/;[^/]*)*/' : ''}` };
}

/** Whether what the paths of a condition take is denied: by a Deny rule, or by an Allow rule for everything else. */
export const deniesByPath = (action: 'Allow' | 'Deny', { not = false }: { readonly not?: boolean }): boolean =>
  (action === 'Deny') !== not;

/**
 * Paths with a segment of dots that has parameters, such as `/x/%2e%2e;y/admin`: Envoy takes `%2e%2e;y` for a name, and servers that take the
 * parameters off first read `..`. No page has such an address.
 */
export const ambiguousPath: PathMatch = { kind: 'regex', value: '.*/(?:\\.|%2[eE]){1,2}(?:;|%3[bB]).*' };

/** Whether rules look at paths, so that no request may come whose path servers read in several ways. */
export const looksAtPaths = ({ rules }: Authorization): boolean =>
  rules.some(({ when }) => when.some(({ paths, cel }) => paths !== undefined || cel !== undefined));
