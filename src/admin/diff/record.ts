import * as z from 'zod';
import { part } from '../access/leaves.ts';
import { manifest } from '../managed-resources/record.ts';
import { named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** A `List` as `kubectl get -o json` prints one. */
export const objectList = z
  .object({ apiVersion: z.literal('v1'), kind: z.literal('List'), items: z.array(manifest) })
  .meta({ id: 'ObjectList', description: 'Objects, as `kubectl get -o json` prints a `List`.' });

const identity = { kind: z.string(), namespace: z.string(), name: z.string() };
const sides = { before: z.unknown(), after: z.unknown() };

const weaker = named('DiffWeaker', 'Something that requests had to show, and need not any more.', {
  gateway: z.string(),
  route: z.string().nullable(),
  part: part.describe('Which part of the policy.'),
  message: z.string(),
});

const fault = named('DiffIngressFault', 'Something that is wrong with an Ingress.', {
  reason: z.string().describe('In CamelCase, as its Events have it.'),
  message: z.string(),
});

const ingress = named('DiffIngress', 'An Ingress with which something is, or would be, wrong.', {
  namespace: z.string(),
  name: z.string(),
  before: z.array(fault),
  after: z.array(fault),
});

export const diff = named(
  'Diff',
  'The answer of `POST /v1/diff`. `before` and `after` are null where there is nothing.',
  {
    snapshotVersion: z.string().nullable(),
    resources: z.array(
      z.strictObject({ ...identity, operation: z.enum(['created', 'updated', 'unchanged']), ...sides }),
    ),
    skipped: z.array(z.strictObject({ ...identity, reason: z.string() })),
    statuses: z.array(z.strictObject({ ...identity, ...sides })),
    ingresses: z
      .array(ingress)
      .describe('Ingresses of these objects with which something would be wrong, and others where that would change.'),
    ir: z.array(
      z.strictObject({
        gateway: z.string(),
        kind: z.enum(['listener', 'access', 'route', 'stream', 'backend', 'endpoints', 'secret']),
        name: z.string(),
        ...sides,
      }),
    ),
    weaker: z
      .array(weaker)
      .describe(
        'What requests would not have to show any more; `route` is `KIND/NAMESPACE/NAME`, or null for all of the Gateway.',
      ),
    envoy: z.array(
      z.strictObject({
        gateway: z.string(),
        typeUrl: z.string(),
        name: z.string(),
        operation: z.enum(['created', 'updated', 'deleted']),
        ...sides,
      }),
    ),
  },
);

export type DiffRecord = Shown<typeof diff>;
export type IrDifference = DiffRecord['ir'][number];
export type IngressDifference = DiffRecord['ingresses'][number];
export type StatusDifference = DiffRecord['statuses'][number];
export type EnvoyDifference = DiffRecord['envoy'][number];
