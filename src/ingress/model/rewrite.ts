import type { PlacedLocation } from './locations.ts';
import { nginxRegex } from './regex.ts';
import { escapePath, type ReadPath, withQuery } from './request-path.ts';

/** What variables of nginx stand for in a rewrite. */
export type Variables = Readonly<Record<string, string>>;

/**
 * The target that the backend gets. Without a rewrite it is the one of the request line, as it is written; with one that matches it is the decoded
 * path, rewritten as a whole and escaped again. Undefined: only nginx can say.
 */
export function forwardedTarget(
  { path: own, rules: { rewriteTarget } }: PlacedLocation,
  { path, query }: ReadPath,
  written: string,
  variables: Variables,
): { readonly target: string | undefined; readonly isRewritten: boolean } {
  const asWritten = { target: written, isRewritten: false };
  if (rewriteTarget === undefined || rewriteTarget === own) return asWritten;
  const regex = nginxRegex(own);
  const match = 'fault' in regex ? undefined : regex.match(path);
  if (match === 'unknown') return { target: undefined, isRewritten: true };
  if (match === undefined) return asWritten;
  const made = substitute(rewriteTarget, match, variables);
  return { target: made === undefined ? undefined : withQuery(escapePath(made), query), isRewritten: true };
}

/** Groups and variables in their places. Undefined: a variable that the model does not know. */
function substitute(text: string, groups: readonly (string | undefined)[], variables: Variables): string | undefined {
  let isKnown = true;
  const made = text.replaceAll(/\$(?:(\d)|\{?([a-z_]\w*)\}?)/gi, (_, group?: string, name = '') => {
    if (group !== undefined) return groups[Number(group)] ?? '';
    const value = variables[name.toLowerCase()];
    isKnown &&= value !== undefined;
    return value ?? '';
  });
  return isKnown ? made : undefined;
}
