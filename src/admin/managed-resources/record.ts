import * as z from 'zod';

/** Any object of the cluster; what is in it is for its own definition to say. */
export const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

/** A `ResourceRecord`. */
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
  managed: z.boolean(),
  resource: manifest,
});

/** A `DryRunRecord`. */
export const dryRun = resource.extend({
  dryRun: z.literal(true),
  operation: z.enum(['created', 'updated', 'unchanged', 'deleted']),
  changes: z.array(z.strictObject({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() })),
});
