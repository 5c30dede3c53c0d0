/** What a request counts for: a TokenPolicy, and what it counts by. */
export interface BudgetCount {
  /** `NAMESPACE/NAME` */
  readonly policy: string;
  readonly key: string;
}

/** Tokens, and nano-dollars. */
export interface BudgetAmount {
  readonly tokens: number;
  readonly cost: number;
}

/** What a request that is under way is expected to use of a budget. */
export interface BudgetHold extends BudgetCount, BudgetAmount {
  /** Names the request. */
  readonly request: string;
}

/** Whether a request may use more. */
export interface BudgetVerdict {
  /** By budget of the policy, in its unit: what was used in the window that is now. */
  readonly used: readonly number[];
  /** Places of those budgets that do not let it through. */
  readonly full: readonly number[];
}

/** What was used of a budget in one window. */
export interface BudgetSum extends BudgetCount, BudgetAmount {
  readonly per: string;
  /** When the window began. */
  readonly start: number;
}

/** What one replica says to all others. Of lists that hold one request, the later one says more. */
export interface BudgetNews {
  /** Requests that came through. */
  readonly holds: readonly BudgetHold[];
  /** What requests used, as it was reported. */
  readonly answers: readonly BudgetHold[];
  /** Requests that have ended. */
  readonly ended: readonly string[];
  /** What was used so far, by what the replica keeps. */
  readonly sums: readonly BudgetSum[];
  /** Sums are those of all replicas, which keep usage in one place. */
  readonly areTotals: boolean;
}

/** What messages about budgets may hold. */
export const budgetLimits = { policy: 512, key: 1024, request: 128, budgets: 8, entries: 1000 } as const;
