import { type BreakRewrite, breakRewriteOf } from '../snippets/break-rewrite.ts';
import { type Condition, holds, rejectionOf } from '../snippets/conditions.ts';
import { parseDirectives } from '../snippets/parse.ts';
import { nginxRegex } from './regex.ts';
import type { ModelRequest } from './request.ts';

/** What the model knows of a snippet for paths: no more than what a conversion reads. */
export interface LocationSnippet {
  readonly rejections: readonly { readonly condition: Condition; readonly status: number }[];
  readonly rewrite: BreakRewrite | undefined;
}

export function locationSnippet(source = ''): LocationSnippet {
  const directives = source === '' ? [] : parseDirectives(source);
  return {
    rejections: directives.flatMap((directive) => rejectionOf(directive, parseDirectives) ?? []),
    rewrite: breakRewriteOf(directives),
  };
}

/** The status of the first condition that holds. */
export const rejectedBy = ({ rejections }: LocationSnippet, request: ModelRequest): number | undefined =>
  rejections.find(({ condition }) => holds(condition, request) === true)?.status;

/** Groups of the path, if the rewrite takes it. */
export function rewriteMatch(
  { expression }: BreakRewrite,
  path: string,
): readonly (string | undefined)[] | 'unknown' | undefined {
  const regex = nginxRegex(expression, { ignoresCase: false });
  return 'fault' in regex ? 'unknown' : regex.match(path);
}
