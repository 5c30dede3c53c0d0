import { parseDuration } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import type { RuleSpec } from './filter.ts';

/** Source: HTTPRouteRetry.attempts, its default; zero switches retries off. */
const defaultAttempts = 1;

/** What a rule's `retry` comes to; undefined when nothing is to be tried again. Source: GEP-1731. */
export function retryOf({ retry }: RuleSpec): ir.Retry | undefined {
  const attempts = retry?.attempts ?? defaultAttempts;
  if (!retry || attempts === 0) return undefined;
  const backoffMs = parseDuration(retry.backoff ?? '');
  return {
    codes: [...new Set(retry.codes ?? [])].sort((a, b) => a - b),
    attempts,
    ...(backoffMs && { backoffMs }),
  };
}
