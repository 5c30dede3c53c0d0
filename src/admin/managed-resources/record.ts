import * as z from 'zod';
import { named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const manifest = z
  .looseObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: z.looseObject({ name: z.string() }),
  })
  .meta({
    id: 'Manifest',
    description: 'Any object of the cluster; what is in it is for its own definition to say.',
  });

export const resource = named(
  'ManagedResource',
  'One managed resource. `namespace` is `_cluster` for cluster-scoped kinds, as in paths; `resource` is the whole object, without `managedFields`.',
  {
    apiVersion: z.string(),
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    uid: z.string().nullable(),
    generation: z.int().nullable(),
    creationTimestamp: z.iso.datetime().nullable(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()),
    managed: z.boolean().describe('Whether some of it was written through the admin API.'),
    resource: manifest,
  },
);

export const dryRun = resource
  .extend({
    dryRun: z.literal(true),
    operation: z.enum(['created', 'updated', 'unchanged', 'deleted']),
    changes: z.array(
      z.strictObject({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() }),
    ),
  })
  .meta({ id: 'DryRun', description: 'What a write would do.' });

export type ResourceRecord = Shown<typeof resource>;
export type DryRunRecord = Shown<typeof dryRun>;
