import type { Table, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, numberOf, textsOf } from '../../kit/values.ts';

/** What one of Envoy's words for a failure is here. Nothing: requests that no endpoint has processed are repeated always. */
const triggers: Readonly<
  Record<string, { readonly events?: readonly string[]; readonly codes?: readonly number[]; readonly differs?: string }>
> = {
  '5xx': {
    events: ['Reset'],
    codes: [500, 501, 502, 503, 504, 505, 507, 508],
    differs: 'of statuses from 500 on, those that have a meaning in HTTP are listed',
  },
  'gateway-error': { events: ['GatewayError'] },
  reset: { events: ['Reset'] },
  'reset-before-request': {},
  'connect-failure': {},
  'refused-stream': {},
  'retriable-4xx': { codes: [409] },
  'retriable-status-codes': {},
  cancelled: { events: ['GRPCCancelled'] },
  'deadline-exceeded': { events: ['GRPCDeadlineExceeded'] },
  internal: { events: ['GRPCInternal'] },
  'resource-exhausted': { events: ['GRPCResourceExhausted'] },
  unavailable: { events: ['GRPCUnavailable'] },
};

/** `retry` of a BackendTrafficPolicy. */
export const retryTable: Table = {
  numRetries: { to: 'TrafficPolicy.retry.attempts', as: numberOf },
  numAttemptsPerPriority: { cannot: 'endpoints have no priorities' },
  retryOn: { by: failuresOf, knows: ['httpStatusCodes', 'triggers'] },
  perRetry: {
    in: {
      timeout: { to: 'TrafficPolicy.retry.perTry' },
      backOff: {
        in: {
          baseInterval: { to: 'TrafficPolicy.retry.backoff.base' },
          maxInterval: { to: 'TrafficPolicy.retry.backoff.max' },
        },
      },
    },
  },
};

function failuresOf(value: unknown, visit: Visit): void {
  const { httpStatusCodes = [], triggers: words } = fieldsOf(value);
  const given = words === undefined ? [] : textsOf(words);
  const events = new Set<string>();
  const codes = new Set<number>();
  for (const word of given) {
    const row = triggers[word];
    if (row === undefined) visit.at('triggers').miss(`${word} is not known here`);
    for (const event of row?.events ?? []) events.add(event);
    for (const code of row?.codes ?? []) codes.add(code);
    if (row?.differs !== undefined) visit.at('triggers').note('differs', row.differs);
  }
  // Envoy looks at the statuses of the list only where this word is among the triggers; Envoy Gateway adds it for them.
  for (const code of listOf(httpStatusCodes)) codes.add(numberOf(code));
  if (codes.size > 16) visit.at('httpStatusCodes').miss('a policy has 16 statuses: the first of them are kept');
  if (events.size > 0) visit.set('TrafficPolicy.retry.events', [...events]);
  if (codes.size > 0) visit.set('TrafficPolicy.retry.codes', [...codes].slice(0, 16));
}

/** Writes down what Envoy Gateway repeats where a policy does not say it. */
export function fillRetries(retry: Fields, { draft }: Visit): void {
  if (draft.get('TrafficPolicy.retry.attempts') === undefined) draft.set('TrafficPolicy.retry.attempts', 2);
  if (retry.retryOn !== undefined) return;
  draft.set('TrafficPolicy.retry.events', ['GRPCUnavailable', 'GRPCCancelled']);
  draft.set('TrafficPolicy.retry.codes', [503]);
}
