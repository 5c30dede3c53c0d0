import * as z from 'zod';
import { count, named, object, reference } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const catalogService = named('CatalogService', 'A Service, whether routes forward to it or not.', {
  namespace: z.string(),
  name: z.string(),
  type: z.string(),
  ports: z.array(
    object({
      name: z.string().nullable(),
      port: z.int(),
      protocol: z.string(),
      appProtocol: z.string().nullable(),
      targetPort: z.union([z.int(), z.string()]),
    }),
  ),
  endpoints: object({ ready: count, total: count }).describe('Distinct addresses.'),
  referencedBy: z.array(reference).describe('Routes that forward to one of its ports.'),
});

export type ServiceRecord = Shown<typeof catalogService>;
