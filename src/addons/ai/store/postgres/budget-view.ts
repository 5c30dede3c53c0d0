import { nothingUsed } from '../../budgets.ts';
import type { BudgetRow } from '../../data.ts';
import { kept } from '../usage-store.ts';

/** What all replicas used of budgets, as far as this one knows. Budgets are asked for while requests wait, so the view is in memory. */
export class BudgetView {
  readonly #rows = new Map<string, BudgetRow>();

  /** Takes what the database has. Sums only grow, so an older answer changes nothing. */
  take(rows: readonly BudgetRow[]): void {
    for (const row of rows) {
      const key = keyOf(row);
      const known = this.#rows.get(key);
      if (known === undefined || row.tokens > known.tokens || row.cost > known.cost) this.#rows.set(key, row);
    }
  }

  used(policy: string, key: string, per: string, start: number): { readonly tokens: number; readonly cost: number } {
    const { tokens, cost } = this.#rows.get(keyOf({ policy, key, per, start })) ?? nothingUsed;
    return { tokens, cost };
  }

  /** Forgets windows that have ended: they are a month long at most. */
  prune(now: number): void {
    for (const [key, { start }] of this.#rows) if (start < now - kept.hoursMs) this.#rows.delete(key);
  }
}

const keyOf = ({ policy, key, per, start }: Pick<BudgetRow, 'policy' | 'key' | 'per' | 'start'>): string =>
  JSON.stringify([policy, key, per, start]);
