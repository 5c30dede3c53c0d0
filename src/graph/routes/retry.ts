import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import type { RuleSpec } from '../model/index.ts';

/** Source: HTTPRouteRetry.attempts, its default. */
const defaultAttempts = 1;

/** The API sets no limit; proxies count in 32 bits, and no client waits for more than this. */
const mostAttempts = 1_000_000;

/** Not even where requests would be tried again by default. */
const never: ir.Retry = { codes: [], attempts: 0 };

/** What a rule's `retry` comes to; undefined when it says nothing. Source: GEP-1731. */
export function retryOf({ retry }: RuleSpec): ir.Retry | undefined {
  if (!retry) return undefined;
  const attempts = Math.min(retry.attempts ?? defaultAttempts, mostAttempts);
  if (attempts <= 0) return never;
  const backoffMs = parseDurationMs(retry.backoff ?? '');
  return {
    codes: [...new Set(retry.codes ?? [])].sort((a, b) => a - b),
    attempts,
    ...(backoffMs && { backoffMs }),
  };
}
