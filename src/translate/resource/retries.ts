import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type CoreRetryPolicySchema,
  PreviousHostsPredicateSchema,
  PreviousPrioritiesConfigSchema,
  packAny,
} from '../../envoy/index.ts';

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

/** After so many attempts at endpoints of one priority, the next goes to the following one. */
export const nextPriority = (attempts: number) => ({
  retryPriority: {
    name: 'envoy.retry_priorities.previous_priorities',
    configType: {
      case: 'typedConfig' as const,
      value: packAny(
        PreviousPrioritiesConfigSchema,
        create(PreviousPrioritiesConfigSchema, { updateFrequency: attempts }),
      ),
    },
  },
});

/**
 * No endpoint has processed the request: no connection, rejected as a stream (which includes streams that a GOAWAY leaves out), or not a
 * byte of it sent. So it may be repeated whatever its method is.
 */
export const notProcessed = 'connect-failure,refused-stream,reset-before-request';

/** A server whose endpoints are replaced is asked as a backend is: another endpoint, if the first has not processed the question. */
export const askedAgain = {
  retryOn: notProcessed,
  numRetries: 2,
  ...elsewhere,
} as const satisfies MessageInitShape<typeof CoreRetryPolicySchema>;

/** Says on top of a route's policy when Envoy repeats a request; Envoy takes it away itself. Clients' own were removed before. */
export const retryOnHeader = 'x-envoy-retry-on';
