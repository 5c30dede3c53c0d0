import * as z from 'zod';
import { count, named, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

const share = z.number().min(0).max(1).nullable();
// Upper bounds of buckets in milliseconds; null where there was no request, or it took more than a minute.
const quantile = count.nullable();

const sums = {
  requests: count,
  errors: count.describe('Status 500 or more, or a flag that says that the proxy or the backend failed.'),
  perSecond: z.number().min(0),
  byClass: object({ '1xx': count, '2xx': count, '3xx': count, '4xx': count, '5xx': count, none: count }).describe(
    '`none`: the client went away before there was a status.',
  ),
  // Null: no request.
  errorRatio: share,
  meanMs: z.number().min(0).nullable(),
  p50Ms: quantile,
  p99Ms: quantile,
};

const trafficReasons = ['no_route', 'unknown_route', 'no_backend', 'ai_rule', 'other'] as const;

export const traffic = named('Traffic', 'What passed through proxies in a time.', {
  window: object({ from: time, to: time, stepSeconds: count }),
  source: z.enum(['agents', 'none']),
  complete: z.boolean(),
  warnings: z.array(z.string()),
  totals: object(sums),
  total: count.describe('How many there are before `limit`.'),
  items: z.array(
    object({
      kind: z.string().nullable().describe('Null with a reason: no object is behind it.'),
      namespace: z.string().nullable(),
      name: z.string().nullable(),
      rule: count.nullable().describe('With `rule=true`.'),
      reason: z.enum(trafficReasons).nullable(),
      gateway: z.string().nullable().describe('`NAMESPACE/NAME`; null of a backend, which several may use.'),
      ...sums,
      flags: z.record(z.string(), count).describe("Requests by flag of Envoy's access log; `GET /v1/explain/FLAG`."),
      series: z
        .array(z.tuple([count, count, count]))
        .optional()
        .describe('With `series=true`: seconds since 1970, requests, errors; steps without requests are left out.'),
    }),
  ),
});

export type TrafficRecord = Shown<typeof traffic>;
