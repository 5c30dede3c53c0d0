import type { BudgetAmount, BudgetVerdict } from '../../../contracts/index.ts';
import type { Held } from './holds.ts';
import { type Budget, limitOf, type TokenPolicy } from './windows.ts';

/** What a request holds of a budget before any answer is known, as a part of its limit. */
const firstPart = 0.01;

const inUnit = ({ unit }: Budget, { tokens, cost }: BudgetAmount): number => (unit === 'Cost' ? cost : tokens);

/**
 * Whether a budget of a policy is used up, or held by requests under way. A request that is alone comes through while anything is left: so all of
 * a budget is used, and no more than one answer beyond it, if none is larger than those before.
 * `used`: by budget, in its unit.
 */
export function weigh(
  { spec }: TokenPolicy,
  used: readonly number[],
  held: Held,
  expected: BudgetAmount | undefined,
): BudgetVerdict {
  const full = spec.budgets.flatMap((budget, at) => {
    const limit = limitOf(budget);
    const left = limit - (used[at] ?? 0);
    const next = expected ? inUnit(budget, expected) : limit * firstPart;
    return left <= 0 || (held.requests > 0 && inUnit(budget, held) + next > left) ? [at] : [];
  });
  return { used, full };
}

/** What a request that comes through holds. */
export function holdOf({ spec }: TokenPolicy, expected: BudgetAmount | undefined): BudgetAmount {
  if (expected) return expected;
  const least = (wanted: Budget['unit']) => {
    const limits = spec.budgets.filter(({ unit }) => unit === wanted).map(limitOf);
    return limits.length === 0 ? 0 : Math.ceil(Math.min(...limits) * firstPart);
  };
  return { tokens: least('Tokens'), cost: least('Cost') };
}
