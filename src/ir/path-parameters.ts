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
