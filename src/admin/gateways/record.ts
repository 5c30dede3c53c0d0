import * as z from 'zod';
import { addresses, condition, count, listener, named, object } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const gateway = named('Gateway', 'A Gateway of one of our classes.', {
  namespace: z.string(),
  name: z.string(),
  gatewayClass: z.string(),
  addresses,
  listeners: z.array(object({ ...listener, attachedRoutes: count, conditions: z.array(condition) })),
  attachedRoutes: count.describe('Of all its listeners, those of ListenerSets included; each route once.'),
  conditions: z.array(condition),
  clients: z
    .array(z.string())
    .describe(
      'Node ids of its data planes, which it may share with other Gateways, those that left a short time ago included.',
    ),
});

export type GatewayRecord = Shown<typeof gateway>;
