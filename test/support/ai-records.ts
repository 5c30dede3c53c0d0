import type { AttemptTrace } from '../../src/addons/ai/data.ts';

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
