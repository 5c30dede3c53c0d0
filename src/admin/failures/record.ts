import * as z from 'zod';
import { level, part, policyName } from '../access/leaves.ts';
import { count, named, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

const failure = named('Failure', 'A request that failed. Its query, headers and body are not kept.', {
  at: time,
  node: z.string(),
  gateway: z.string().describe('`NAMESPACE/NAME`'),
  listener: z
    .string()
    .nullable()
    .describe("As lists of listeners name it, or Envoy's name for all HTTP listeners of a port; null: not known."),
  method: z.string(),
  host: z.string(),
  path: z.string(),
  protocol: z.string(),
  status: count.describe('0: there was none.'),
  flags: z.array(z.string()).describe("Of Envoy's access log."),
  details: z.string().describe("Envoy's words: `%RESPONSE_CODE_DETAILS%`."),
  transportFailure: z.string().nullable(),
  route: object({ kind: z.string(), namespace: z.string(), name: z.string(), rule: count })
    .nullable()
    .describe('Null: no route is for it.'),
  backend: z.string().nullable().describe('`NAMESPACE/SERVICE:PORT`'),
  endpoint: z.string().nullable().describe('`ADDRESS:PORT`'),
  clientAddress: z
    .string()
    .nullable()
    .describe('Null unless `spec.failures.clientAddress` of the DataPlane is `Show`; personal data.'),
  attempts: count,
  durationMs: count,
  requestId: z.string().nullable(),
  deniedBy: z
    .array(
      object({
        part: part.describe('Which part of the policy.'),
        level: level.describe('Where its policy is attached.'),
        policy: policyName,
      }),
    )
    .describe(
      'Parts of policies of access, in force now, that answer so; one of them denied the request. Of servers that are asked, the one that did not let it in. Empty: it was answered otherwise.',
    ),
  explanation: object({
    code: z.string(),
    summary: z.string(),
    causes: z.array(z.string()),
    steps: z.array(z.string()),
  }).nullable(),
});

export const failures = named('Failures', 'Failed requests, the newest first.', {
  items: z.array(failure),
  sampled: object({ kept: count, seen: count.nullable() }).describe(
    '`seen`: how many there were, by counters; null where these do not know what was asked for.',
  ),
  complete: z.boolean(),
  warnings: z.array(z.string()),
  next: z.string().nullable().describe('Null at the end.'),
});

export type FailuresRecord = Shown<typeof failures>;
