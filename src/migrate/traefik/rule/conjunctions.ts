import { type Rule, RuleError } from './parse.ts';

/** One matcher of a rule, or that it does not hold. */
export interface Literal {
  readonly name: string;
  readonly values: readonly string[];
  readonly isNot: boolean;
}

/** Alternatives of one rule that are written out. */
const most = 128;

/**
 * A rule as alternatives, of which each has matchers that must all hold. Throws a RuleError for one that has too many of them: brackets are
 * multiplied out.
 */
export function conjunctionsOf(rule: Rule, isNot = false): readonly (readonly Literal[])[] {
  if (rule.kind === 'not') return conjunctionsOf(rule.part, !isNot);
  if (rule.kind === 'matcher') return [[{ name: rule.name, values: rule.values, isNot }]];
  const parts = rule.parts.map((part) => conjunctionsOf(part, isNot));
  // A negation turns one into the other.
  const isOr = (rule.kind === 'or') !== isNot;
  const all = isOr
    ? parts.flat()
    : parts.reduce<readonly (readonly Literal[])[]>(
        (sums, next) => checked(sums.flatMap((sum) => next.map((one) => [...sum, ...one]))),
        [[]],
      );
  return checked(all);
}

function checked<T>(all: readonly T[]): readonly T[] {
  if (all.length > most) throw new RuleError(`it has more than ${most} alternatives`);
  return all;
}
