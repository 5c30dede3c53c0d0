import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { PreviousHostsPredicateSchema, packAny, type RetryPolicySchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { durationOf } from '../resource/index.ts';
import { hasSessions } from './session.ts';

/** How often another endpoint is looked for before one that failed already is asked again. */
const hostSelectionAttempts = 5;

/** What is tried again is tried at another endpoint, if there is one. */
export const elsewhere = {
  retryHostPredicate: [
    {
      name: 'envoy.retry_host_predicates.previous_hosts',
      configType: {
        case: 'typedConfig' as const,
        value: packAny(PreviousHostsPredicateSchema, create(PreviousHostsPredicateSchema)),
      },
    },
  ],
  hostSelectionRetryMaxAttempts: BigInt(hostSelectionAttempts),
};

/** A client that stays with an endpoint would meet with the same failure again and again until everybody knows that it is gone. */
const onceElsewhere: ir.Retry = { codes: [], attempts: 1 };

function retriesOf(rule: ir.RouteRule): ir.Retry | undefined {
  const { retry = hasSessions(rule) ? onceElsewhere : undefined } = rule;
  return retry?.attempts === 0 ? undefined : retry;
}

/**
 * Retries and the time of one try, which Envoy keeps in one message. A try that was cut off after it was sent is not
 * repeated: the backend may have done what it was asked to. Undefined when there is neither.
 */
export function retryPolicy(rule: ir.RouteRule): MessageInitShape<typeof RetryPolicySchema> | undefined {
  const { backendRequestTimeoutMs } = rule;
  const retry = retriesOf(rule);
  if (!retry && backendRequestTimeoutMs === undefined) return undefined;
  return {
    numRetries: retry?.attempts ?? 0,
    ...(backendRequestTimeoutMs !== undefined && { perTryTimeout: durationOf(backendRequestTimeoutMs) }),
    ...(retry && {
      retryOn: [
        'connect-failure',
        'refused-stream',
        ...(retry.codes.length > 0 ? ['retriable-status-codes'] : []),
      ].join(','),
      retriableStatusCodes: [...retry.codes],
      ...(retry.backoffMs !== undefined && { retryBackOff: { baseInterval: durationOf(retry.backoffMs) } }),
      ...elsewhere,
    }),
  };
}
