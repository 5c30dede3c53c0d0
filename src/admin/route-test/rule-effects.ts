import { showFilters } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';

/** What a rule does beside choosing backends: its timeouts, retries, and filters, each as its module shows it. Only what it has is there. */
export interface RuleEffects extends ReturnType<typeof showFilters> {
  readonly requestTimeoutMs?: number;
  readonly backendRequestTimeoutMs?: number;
  readonly retries?: { readonly attempts: number; readonly codes: readonly number[] };
}

export function ruleEffects(rule: ir.RouteRule): RuleEffects {
  const { filters, requestTimeoutMs, backendRequestTimeoutMs, retry } = rule;
  // Envoy knows CORS only where it forwards.
  const { cors: _, ...others } = filters ?? {};
  return {
    ...showFilters(rule.action.kind === 'forward' ? filters : others),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(backendRequestTimeoutMs !== undefined && { backendRequestTimeoutMs }),
    ...(retry && { retries: { attempts: retry.attempts, codes: retry.codes } }),
  };
}
