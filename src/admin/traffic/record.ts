import * as z from 'zod';
import { count, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

const share = z.number().min(0).max(1).nullable();
// Upper bounds of buckets in milliseconds; null where there was no request, or it took more than a minute.
const quantile = count.nullable();

const sums = {
  requests: count,
  // Status 500 or more, or a flag that says that the proxy or the backend failed.
  errors: count,
  perSecond: z.number().min(0),
  // `none`: the client went away before there was a status.
  byClass: object({ '1xx': count, '2xx': count, '3xx': count, '4xx': count, '5xx': count, none: count }),
  // Null: no request.
  errorRatio: share,
  meanMs: z.number().min(0).nullable(),
  p50Ms: quantile,
  p99Ms: quantile,
};

const trafficReasons = ['no_route', 'unknown_route', 'no_backend', 'ai_rule', 'other'] as const;

/** What passed through proxies in a time. */
export const traffic = object({
  window: object({ from: time, to: time, stepSeconds: count }),
  source: z.enum(['agents', 'none']),
  complete: z.boolean(),
  warnings: z.array(z.string()),
  totals: object(sums),
  // How many there are before `limit`.
  total: count,
  items: z.array(
    object({
      // Null with a reason: no object is behind it.
      kind: z.string().nullable(),
      namespace: z.string().nullable(),
      name: z.string().nullable(),
      // With `rule=true`.
      rule: count.nullable(),
      reason: z.enum(trafficReasons).nullable(),
      // `NAMESPACE/NAME`; null of a backend, which several may use.
      gateway: z.string().nullable(),
      ...sums,
      // Requests by flag of Envoy's access log; `GET /v1/explain/FLAG`.
      flags: z.record(z.string(), count),
      // With `series=true`: seconds since 1970, requests, errors; steps without requests are left out.
      series: z.array(z.tuple([count, count, count])).optional(),
    }),
  ),
});

export type TrafficRecord = Shown<typeof traffic>;
