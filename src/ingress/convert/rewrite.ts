import type { Fields } from '../features/part.ts';
import { bareExpression } from './matches.ts';

/** What `rewrite-target` becomes at one path: an HTTPFilter, or no word. */
export type Rewrite = { readonly full: string } | { readonly filter: Fields } | { readonly fault: string };

/** nginx replaces the whole path if the path's expression matches, which it does for every request that comes here. */
export function rewriteOf(target: string, path: string): Rewrite {
  if (!target.startsWith('/')) return { fault: `${target}: a path here begins with a slash` };
  const variable = /\$(?!\d)\w*/.exec(target)?.[0];
  if (variable !== undefined) return { fault: `${target}: variables such as ${variable} have no word here` };
  if (/[?#]/.test(target)) return { fault: `${target}: a rewrite cannot set a query` };
  if (!target.includes('$')) return { full: target };
  const substitution = target.replaceAll('\\', '\\\\').replaceAll(/\$(\d)/g, '\\$1');
  return { filter: { regexRewrite: { pattern: `(?i)^(?:${bareExpression(path)}).*$`, substitution } } };
}
