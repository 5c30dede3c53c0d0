import * as z from 'zod';
import { addresses, condition, count, listener, object } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** A Gateway of one of our classes. */
export const gateway = object({
  namespace: z.string(),
  name: z.string(),
  gatewayClass: z.string(),
  addresses,
  listeners: z.array(object({ ...listener, attachedRoutes: count, conditions: z.array(condition) })),
  conditions: z.array(condition),
  // Node ids of its data planes, which it may share with other Gateways, those that left a short time ago included.
  clients: z.array(z.string()),
});

export type GatewayRecord = Shown<typeof gateway>;
