import * as z from 'zod';
import type { Shown } from '../resource/shown.ts';

/** Any object of the cluster; what is in it is for its own definition to say. */
export const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

/** One managed resource. `namespace` is `_cluster` for cluster-scoped kinds, as in paths; `resource` is the whole object, without `managedFields`. */
export const resource = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string().nullable(),
  generation: z.int().nullable(),
  creationTimestamp: z.iso.datetime().nullable(),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  // Whether some of it was written through the admin API.
  managed: z.boolean(),
  resource: manifest,
});

/** What a write would do. */
export const dryRun = resource.extend({
  dryRun: z.literal(true),
  operation: z.enum(['created', 'updated', 'unchanged', 'deleted']),
  changes: z.array(z.strictObject({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() })),
});

export type ResourceRecord = Shown<typeof resource>;
export type DryRunRecord = Shown<typeof dryRun>;
