import * as z from 'zod';
import { count, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** A request that failed. Its query, headers, body and the client's address are not kept. */
const failure = object({
  at: time,
  node: z.string(),
  // `NAMESPACE/NAME`
  gateway: z.string(),
  // As lists of listeners name it, or Envoy's name for all HTTP listeners of a port; null: not known.
  listener: z.string().nullable(),
  method: z.string(),
  host: z.string(),
  path: z.string(),
  protocol: z.string(),
  // 0: there was none.
  status: count,
  // Of Envoy's access log.
  flags: z.array(z.string()),
  // Envoy's words: `%RESPONSE_CODE_DETAILS%`.
  details: z.string(),
  transportFailure: z.string().nullable(),
  // Null: no route is for it.
  route: object({ kind: z.string(), namespace: z.string(), name: z.string(), rule: count }).nullable(),
  // `NAMESPACE/SERVICE:PORT`
  backend: z.string().nullable(),
  // `ADDRESS:PORT`
  endpoint: z.string().nullable(),
  attempts: count,
  durationMs: count,
  requestId: z.string().nullable(),
  explanation: object({
    code: z.string(),
    summary: z.string(),
    causes: z.array(z.string()),
    steps: z.array(z.string()),
  }).nullable(),
});

/** Failed requests, the newest first. */
export const failures = object({
  items: z.array(failure),
  // `seen`: how many there were, by counters; null where these do not know what was asked for.
  sampled: object({ kept: count, seen: count.nullable() }),
  complete: z.boolean(),
  warnings: z.array(z.string()),
  // Null at the end.
  next: z.string().nullable(),
});

export type FailuresRecord = Shown<typeof failures>;
