import * as z from 'zod';
import { flag, object, reference } from '../resource/leaves.ts';

export const backend = object({
  name: z.string(),
  namespace: z.string(),
  service: z.string(),
  port: z.int(),
  protocol: z.enum(['http1', 'h2c', 'tcp', 'udp']),
  endpoints: z.array(
    object({
      address: z.string(),
      healthy: flag,
      ready: flag,
      serving: flag,
      terminating: flag,
      zone: z.string().nullable(),
      node: z.string().nullable(),
    }),
  ),
  problem: z.string().nullable(),
  tls: object({
    hostname: z.string(),
    subjectAltNames: z.array(z.string()),
    authorities: z.enum(['configured', 'system']),
  }).nullable(),
  referencedBy: z.array(reference),
  loadBalancing: object({ policy: z.enum(['round_robin', 'least_request', 'random', 'hash']), prefersZone: flag }),
  sessionPersistence: object({
    type: z.enum(['Cookie', 'Header']),
    name: z.string(),
    lifetimeType: z.enum(['Session', 'Permanent']),
    absoluteTimeout: z.string().nullable(),
    source: reference,
  }).nullable(),
});
