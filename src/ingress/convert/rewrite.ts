import type { Fields } from '../features/part.ts';
import { bareExpression } from './matches.ts';

/** What `rewrite-target` becomes at one path: an HTTPFilter, or no word. */
export type Rewrite = { readonly full: string } | { readonly filter: Fields } | { readonly fault: string };

/** nginx replaces the whole path if the path's expression matches, which it does for every request that comes here. */
export function rewriteOf(target: string, path: string): Rewrite {
  if (!target.startsWith('/')) return { fault: `${target}: a path here begins with a slash` };
  const variable = /\$(?!\d)\w*/.exec(target)?.[0];
  if (variable !== undefined) return { fault: `${target}: variables such as ${variable} have no equivalent here` };
  if (/[?#]/.test(target)) return { fault: `${target}: a rewrite cannot set a query` };
  const made = substitutionOf(target, groupsOf(bareExpression(path)));
  return 'full' in made
    ? made
    : { filter: { regexRewrite: { pattern: `(?i)^(?:${bareExpression(path)}).*$`, substitution: made.substitution } } };
}

/** A target with groups of an expression as a filter has it; `full`: it has none. */
export function substitutionOf(
  target: string,
  groups: number,
): { readonly full: string } | { readonly substitution: string } {
  // In nginx a group that the expression does not have is empty. A proxy takes no such substitution.
  const present = target.replaceAll(/\$(\d)/g, (written, group: string) => (Number(group) > groups ? '' : written));
  if (!present.includes('$')) return { full: present };
  const substitution = present.replaceAll('\\', '\\\\').replaceAll(/\$(\d)/g, '\\$1');
  return { substitution };
}

/** How many groups an expression has: with an empty alternative it matches every text, and lists them. */
export function groupsOf(expression: string): number {
  try {
    return (new RegExp(`${expression}|`).exec('')?.length ?? 1) - 1;
  } catch {
    // What JavaScript does not read keeps all nine; the conditions of the route say whether a proxy reads it.
    return 9;
  }
}
