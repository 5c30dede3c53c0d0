import { type AttemptTrace, type LatencyRow, latencyBucket, perTokenMs } from '../data.ts';
import type { RequestRecord } from '../records.ts';
import { floorTo, minuteMs } from './usage-store.ts';

/** What rows are summed up by, and what is summed up. Each has a time besides, `at`. */
export const tables = {
  requests: {
    dimensions: ['route', 'model'],
    counts: ['requests', 'failed', 'limited', 'fallback', 'durationMs'],
  },
  usage: {
    dimensions: ['route', 'service', 'model', 'responseModel', 'key'],
    counts: [
      'requests',
      'errors',
      'unmetered',
      'input',
      'output',
      'cached',
      'cacheWrite',
      'reasoning',
      'cost',
      'unpricedRequests',
      'unpricedTokens',
    ],
  },
  latency: { dimensions: ['kind', 'subject', 'bucket'], counts: ['count'] },
} as const;

export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as readonly TableName[];

/** Something to add to the sums of one table. Null: not known. */
export interface Addition {
  readonly table: TableName;
  readonly values: Readonly<Record<string, string | number | null>> & { readonly at: number };
}

/** What a client's request adds. */
export function requestAdditions(record: RequestRecord): readonly Addition[] {
  const at = floorTo(record.at, minuteMs);
  const { route, model, durationMs, firstByteMs, status, limited, attempts } = record;
  const values = {
    at,
    route,
    model,
    requests: 1,
    failed: Number(status >= 400 || status === 0),
    limited: Number(limited),
    fallback: Number(attempts > 1),
    durationMs,
  };
  return [
    { table: 'requests', values },
    latency(at, 'duration', '', durationMs),
    ...(firstByteMs !== null && status === 200 ? [latency(at, 'firstToken', '', firstByteMs)] : []),
  ];
}

/** What adds that a service was asked. `key`: see `Entry`. */
export function attemptAdditions(record: AttemptTrace, key: string): readonly Addition[] {
  const at = floorTo(record.at, minuteMs);
  const { usage, cost, status } = record;
  const tokens = (usage?.input ?? 0) + (usage?.output ?? 0);
  const values = {
    at,
    route: record.route,
    service: record.service,
    model: record.model,
    responseModel: record.responseModel ?? '',
    key,
    requests: 1,
    errors: Number(record.errorType !== null),
    unmetered: Number(usage === null && status === 200),
    input: usage?.input ?? 0,
    output: usage?.output ?? 0,
    cached: usage?.cached ?? 0,
    cacheWrite: usage?.cacheWrite ?? 0,
    reasoning: usage?.reasoning ?? 0,
    cost,
    unpricedRequests: Number(usage !== null && cost === null),
    unpricedTokens: cost === null ? tokens : 0,
  };
  const { service, durationMs, firstByteMs, errorType } = record;
  const perToken = perTokenMs(record);
  return [
    { table: 'usage', values },
    latency(at, 'service', service, durationMs),
    ...(firstByteMs !== null && errorType === null ? [latency(at, 'serviceFirstToken', service, firstByteMs)] : []),
    ...(perToken === null ? [] : [latency(at, 'servicePerToken', service, perToken)]),
  ];
}

const latency = (at: number, kind: LatencyRow['kind'], subject: string, ms: number): Addition => ({
  table: 'latency',
  values: { at, kind, subject, bucket: latencyBucket(ms), count: 1 },
});
