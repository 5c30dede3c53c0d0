import * as z from 'zod';
import { condition, count, object } from '../resource/leaves.ts';

export const gateway = object({
  namespace: z.string(),
  name: z.string(),
  gatewayClass: z.string(),
  addresses: z.array(object({ type: z.string(), value: z.string() })),
  listeners: z.array(
    object({
      name: z.string(),
      port: z.int(),
      protocol: z.string(),
      hostname: z.string().nullable(),
      attachedRoutes: count,
      conditions: z.array(condition),
    }),
  ),
  conditions: z.array(condition),
  clients: z.array(z.string()),
});
