import * as z from 'zod';
import { count, flag, object, reference } from '../resource/leaves.ts';

export const namespace = z.string();

export const resourceKind = object({
  kind: z.string(),
  apiVersion: z.string(),
  category: z.enum(['gateway', 'route', 'policy', 'backend', 'ai', 'core']),
  description: z.string(),
  namespaced: flag,
  writable: flag,
  writableMessage: z.string(),
  available: flag,
  availabilityMessage: z.string(),
});

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
  endpoints: object({ ready: count, total: count }),
  referencedBy: z.array(reference),
});
