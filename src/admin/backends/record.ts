import * as z from 'zod';
import { flag, named, object, reference } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const backend = named('Backend', "A Service's port that some route of ours forwards to.", {
  name: z.string().describe('`SERVICE:PORT`'),
  namespace: z.string(),
  service: z.string(),
  port: z.int(),
  protocol: z.enum(['http1', 'h2c', 'tcp', 'udp']),
  endpoints: z.array(
    object({
      address: z.string(),
      healthy: flag.describe('Proxies send it new requests. The rest is what its EndpointSlice says.'),
      ready: flag,
      serving: flag,
      terminating: flag,
      zone: z.string().nullable(),
      node: z.string().nullable(),
    }),
  ),
  problem: z
    .string()
    .nullable()
    .describe('Why its host leads nowhere, or not to all that it resolves to; null: nothing is known against it.'),
  tls: object({
    hostname: z.string(),
    subjectAltNames: z.array(z.string()),
    authorities: z.enum(['configured', 'system']),
  })
    .nullable()
    .describe('How proxies know it; null: they speak plain text to it.'),
  referencedBy: z.array(reference),
  loadBalancing: object({
    policy: z.enum(['round_robin', 'least_request', 'random', 'hash']),
    prefersZone: flag,
  }).describe("`prefersZone`: endpoints of the proxy's own zone get all requests while one of them is well."),
  sessionPersistence: object({
    type: z.enum(['Cookie', 'Header']),
    name: z.string(),
    lifetimeType: z.enum(['Session', 'Permanent']),
    absoluteTimeout: z.string().nullable(),
    source: reference,
  })
    .nullable()
    .describe('How clients stay with its endpoints; null: only what rules of routes say.'),
});

export type BackendRecord = Shown<typeof backend>;
