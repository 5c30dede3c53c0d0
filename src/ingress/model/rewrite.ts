import type { PlacedLocation } from './locations.ts';
import { nginxRegex } from './regex.ts';
import { escapePath, type ReadPath, withQuery } from './request-path.ts';
import { rewriteMatch } from './snippet.ts';

/** What variables of nginx stand for in a rewrite. */
export type Variables = Readonly<Record<string, string>>;

/**
 * The target that the backend gets. Without a rewrite it is the one of the request line, as it is written; with one that matches it is the decoded
 * path, rewritten as a whole and escaped again. Undefined: only nginx can say.
 */
export function forwardedTarget(
  { path: own, rules: { rewriteTarget, snippet } }: PlacedLocation,
  { path, query }: ReadPath,
  written: string,
  variables: Variables,
): { readonly target: string | undefined; readonly isRewritten: boolean } {
  const asWritten = { target: written, isRewritten: false };
  const isPlain = rewriteTarget === undefined || rewriteTarget === own;
  if (isPlain && snippet.rewrite === undefined) return asWritten;
  const match = isPlain && snippet.rewrite ? rewriteMatch(snippet.rewrite, path) : ownMatch(own, path);
  if (match === 'unknown') return { target: undefined, isRewritten: true };
  if (match === undefined) return asWritten;
  const made = substitute((isPlain ? snippet.rewrite?.target : rewriteTarget) ?? '', match, variables);
  return { target: made === undefined ? undefined : withQuery(escapePath(made), query), isRewritten: true };
}

function ownMatch(own: string, path: string): ReturnType<typeof rewriteMatch> {
  const regex = nginxRegex(own);
  return 'fault' in regex ? undefined : regex.match(path);
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
