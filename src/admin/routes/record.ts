import * as z from 'zod';
import { condition, flag, named, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const route = named(
  'Route',
  'One route of any kind. `rules` and `parentRefs` are what the user wrote, as the Gateway API has it.',
  {
    kind: z.enum(['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'UDPRoute', 'TLSRoute']),
    namespace: z.string(),
    name: z.string(),
    ingress: z
      .string()
      .nullable()
      .describe('Name of the Ingress in its namespace that it was made of; null: it is an object of its own.'),
    hostnames: z.array(z.string()),
    parentRefs: z.array(z.looseObject({ name: z.string() })),
    rules: z.array(z.looseObject({})),
    parents: z.array(
      object({
        parentRef: z.looseObject({ name: z.string() }),
        controllerName: z.string(),
        conditions: z.array(condition),
      }),
    ),
    accepted: flag.describe('Every parent accepts it, and there is one.'),
    resolvedRefs: flag.describe('For every parent all references resolve, and there is one.'),
    createdAt: time.nullable(),
    generation: z.int().nullable(),
  },
);

export type RouteRecord = Shown<typeof route>;

export const groupedRoutes = named('GroupedRoutes', 'Routes by their kind.', {
  http: z.array(route),
  grpc: z.array(route),
  tcp: z.array(route),
  udp: z.array(route),
  tls: z.array(route),
});
