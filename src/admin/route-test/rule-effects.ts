import { showFilters } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';

/** What a rule does beside choosing backends: its timeouts, retries, and filters, each as its module shows it. Only what it has is there. */
export interface RuleEffects extends ReturnType<typeof showFilters> {
  readonly requestTimeoutMs?: number;
  readonly backendRequestTimeoutMs?: number;
  readonly retries?: { readonly attempts: number; readonly codes: readonly number[] };
}

export function ruleEffects({ filters, requestTimeoutMs, backendRequestTimeoutMs, retry }: ir.RouteRule): RuleEffects {
  return {
    ...showFilters(filters),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(backendRequestTimeoutMs !== undefined && { backendRequestTimeoutMs }),
    ...(retry && { retries: { attempts: retry.attempts, codes: retry.codes } }),
  };
}
