import type { Directive } from './parse.ts';

/** `rewrite EXPRESSION TARGET break;`: the path that the backend sees, of requests whose path the expression matches. */
export interface BreakRewrite {
  readonly expression: string;
  readonly target: string;
}

/** The one rewrite of a snippet for paths; undefined if there is none, or several, or one that leads elsewhere. */
export function breakRewriteOf(directives: readonly Directive[]): BreakRewrite | undefined {
  const [only, ...others] = directives.filter(({ name }) => name === 'rewrite');
  const [expression = '', target = '', flag, ...rest] = only?.args ?? [];
  const isOne = others.length === 0 && rest.length === 0 && flag === 'break';
  return isOne && isPath(target) ? { expression, target } : undefined;
}

/** Without variables but groups, and without a query. */
const isPath = (target: string): boolean => /^\/(?:[-A-Za-z0-9._~!&'()*+,;=:@/]|\$\d)*$/.test(target);
