import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RetryPolicySchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { hasSessions } from '../filters/index.ts';
import { durationOf, elsewhere, nextPriority, notProcessed } from '../resource/index.ts';

/**
 * For virtual hosts: what holds on routes without a policy of their own, which replaces this one as a whole. Endpoints of a rollout are gone before
 * proxies know. The first retry comes at once, for a request body that grows over its buffer meanwhile cannot be repeated.
 */
export const defaultRetries: MessageInitShape<typeof RetryPolicySchema> = {
  retryOn: notProcessed,
  numRetries: 2,
  retryBackOff: { baseInterval: durationOf(1), maxInterval: durationOf(25) },
  ...elsewhere,
};

const noRetries: MessageInitShape<typeof RetryPolicySchema> = { numRetries: 0 };

/** The policy of a route, with the time of one try, which Envoy keeps in the same message; undefined: the virtual host's holds. */
export function retryPolicy(rule: ir.RouteRule): MessageInitShape<typeof RetryPolicySchema> | undefined {
  const { retry, backendRequestTimeoutMs } = rule;
  const policy = retry ? ownRetries(retry) : limitOf(rule) === 'never' ? noRetries : undefined;
  if (backendRequestTimeoutMs === undefined) return policy;
  return { ...(policy ?? defaultRetries), perTryTimeout: durationOf(backendRequestTimeoutMs) };
}

/** Envoy's words. */
const events: Readonly<Record<ir.RetryEvent, string>> = {
  reset: 'reset',
  gatewayError: 'gateway-error',
  cancelled: 'cancelled',
  deadlineExceeded: 'deadline-exceeded',
  internal: 'internal',
  resourceExhausted: 'resource-exhausted',
  unavailable: 'unavailable',
};

function ownRetries({
  attempts,
  codes,
  on = [],
  backoffMs,
  maxBackoffMs,
  perPriority,
}: ir.Retry): MessageInitShape<typeof RetryPolicySchema> {
  if (attempts === 0) return noRetries;
  return {
    numRetries: attempts,
    retryOn: [
      notProcessed,
      ...(codes.length > 0 ? ['retriable-status-codes'] : []),
      ...on.map((event) => events[event]),
    ].join(','),
    retriableStatusCodes: [...codes],
    ...(backoffMs !== undefined && {
      retryBackOff: {
        baseInterval: durationOf(backoffMs),
        ...(maxBackoffMs !== undefined && { maxInterval: durationOf(maxBackoffMs) }),
      },
    }),
    ...(perPriority !== undefined && nextPriority(perPriority)),
    ...elsewhere,
  };
}

/** Of several backends the strictest, for Envoy has one policy for a route. */
function limitOf({ action }: ir.RouteRule): ir.RetryLimit | undefined {
  if (action.kind !== 'forward') return undefined;
  const limits = action.backends.map(({ retries }) => retries);
  return limits.includes('never') ? 'never' : limits.find((limit) => limit !== undefined);
}

/**
 * Whether requests of safe methods are repeated only if no endpoint has processed them. A rule's own `retry` says so (GEP-1731); a time limit
 * counts for one try, and to Envoy a try that was cut off is a connection that ended; nor may a client leave the endpoint of its session
 * because one connection ended.
 */
export const repeatsOnlyUnprocessed = (rule: ir.RouteRule): boolean =>
  rule.action.kind === 'forward' &&
  (rule.retry !== undefined ||
    rule.backendRequestTimeoutMs !== undefined ||
    limitOf(rule) !== undefined ||
    hasSessions(rule));
