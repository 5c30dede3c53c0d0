import type { AttemptTrace } from '../../src/addons/ai/data.ts';
import type { RequestRecord } from '../../src/addons/ai/records.ts';

/** A try of a request that was answered, of which nothing was said of tokens. */
export const attempt = (more: Partial<AttemptTrace> = {}): AttemptTrace => ({
  kind: 'attempt',
  id: 'one',
  node: 'n',
  at: 1_700_000_000_000.25,
  route: 'httproute/a/b',
  service: 'a/s',
  operation: 'responses',
  model: 'm',
  responseModel: null,
  stream: false,
  status: 200,
  durationMs: 90,
  firstByteMs: 30,
  trace: null,
  usageStatus: 'absent',
  usage: null,
  budgets: [],
  errorType: null,
  cost: null,
  ...more,
});

/** A request that was answered. */
export const clientRequest = (more: Partial<RequestRecord> = {}): RequestRecord => ({
  kind: 'request',
  id: 'one',
  node: 'n',
  at: 1_700_000_000_000,
  route: 'httproute/a/b',
  model: 'm',
  stream: false,
  status: 200,
  durationMs: 100,
  firstByteMs: 20,
  attempts: 1,
  limited: false,
  errorType: null,
  traceId: null,
  spanId: null,
  ...more,
});
