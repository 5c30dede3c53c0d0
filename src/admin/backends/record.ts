import * as z from 'zod';
import { flag, object, reference } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** A Service's port that some route of ours forwards to. */
export const backend = object({
  // `SERVICE:PORT`
  name: z.string(),
  namespace: z.string(),
  service: z.string(),
  port: z.int(),
  protocol: z.enum(['http1', 'h2c', 'tcp', 'udp']),
  endpoints: z.array(
    object({
      address: z.string(),
      // Proxies send it new requests. The rest is what its EndpointSlice says.
      healthy: flag,
      ready: flag,
      serving: flag,
      terminating: flag,
      zone: z.string().nullable(),
      node: z.string().nullable(),
    }),
  ),
  // Why its host leads nowhere, or not to all that it resolves to; null: nothing is known against it.
  problem: z.string().nullable(),
  // How proxies know it; null: they speak plain text to it.
  tls: object({
    hostname: z.string(),
    subjectAltNames: z.array(z.string()),
    authorities: z.enum(['configured', 'system']),
  }).nullable(),
  referencedBy: z.array(reference),
  // `prefersZone`: endpoints of the proxy's own zone get all requests while one of them is well.
  loadBalancing: object({ policy: z.enum(['round_robin', 'least_request', 'random', 'hash']), prefersZone: flag }),
  // How clients stay with its endpoints; null: only what rules of routes say.
  sessionPersistence: object({
    type: z.enum(['Cookie', 'Header']),
    name: z.string(),
    lifetimeType: z.enum(['Session', 'Permanent']),
    absoluteTimeout: z.string().nullable(),
    source: reference,
  }).nullable(),
});

export type BackendRecord = Shown<typeof backend>;
