import type { BudgetAmount, BudgetSum } from '../../../contracts/index.ts';

/** What was used of a budget in the window that began then, by all that count. */
export type UsedOf = (policy: string, key: string, per: string, start: number) => BudgetAmount;

export const nothingUsed: BudgetAmount = { tokens: 0, cost: 0 };

/** What others used of budgets, as far as this replica knows. Budgets are asked for while requests wait, so the view is in memory. */
export class BudgetView {
  readonly #sums = new Map<string, BudgetSum>();

  /** Sums only grow, so what is older changes nothing. */
  take(sums: readonly BudgetSum[]): void {
    for (const sum of sums) {
      const key = keyOf(sum);
      const known = this.#sums.get(key);
      if (known === undefined || sum.tokens > known.tokens || sum.cost > known.cost) this.#sums.set(key, sum);
    }
  }

  readonly used: UsedOf = (policy, key, per, start) => {
    const { tokens, cost } = this.#sums.get(keyOf({ policy, key, per, start })) ?? nothingUsed;
    return { tokens, cost };
  };

  /** Forgets windows that began before this. */
  prune(before: number): void {
    for (const [key, { start }] of this.#sums) if (start < before) this.#sums.delete(key);
  }
}

const keyOf = ({ policy, key, per, start }: Pick<BudgetSum, 'policy' | 'key' | 'per' | 'start'>): string =>
  JSON.stringify([policy, key, per, start]);
