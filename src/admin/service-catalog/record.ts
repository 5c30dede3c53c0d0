import * as z from 'zod';
import { count, object, reference } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** A Service, whether routes forward to it or not. */
export const catalogService = object({
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
  // Distinct addresses.
  endpoints: object({ ready: count, total: count }),
  // Routes that forward to one of its ports.
  referencedBy: z.array(reference),
});

export type ServiceRecord = Shown<typeof catalogService>;
