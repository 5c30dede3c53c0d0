import * as z from 'zod';
import { type VerdictCode, verdictWords } from '../../traffic/index.ts';
import { flag, named, object, reference, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const backend = named('Backend', "A Service's port that some route of ours forwards to.", {
  kind: z
    .string()
    .describe(
      'Of the object that it is a port of: Service, ServiceImport, XBackend, InferencePool, AIService; AccessPolicy for logins.',
    ),
  name: z.string().describe('`SERVICE:PORT`'),
  namespace: z.string(),
  service: z.string(),
  port: z.int(),
  protocol: z.enum(['http1', 'h2c', 'tcp', 'udp']),
  hostname: z
    .string()
    .nullable()
    .describe(
      'The host that proxies find by DNS; of its addresses `endpoints` has those that fail. Null: it has EndpointSlices or Pods.',
    ),
  endpoints: z.array(
    object({
      address: z.string(),
      healthy: flag.describe('Proxies send it new requests. The rest is what its EndpointSlice says.'),
      ready: flag,
      serving: flag,
      terminating: flag,
      zone: z.string().nullable(),
      node: z.string().nullable(),
      priority: z
        .int()
        .min(1)
        .optional()
        .describe('Of an endpoint that a BackendPolicy has for when those of lower numbers fail; absent: 0.'),
      verdicts: z
        .array(
          object({
            source: z
              .enum(['kubernetes', 'proxy', 'requests'])
              .describe('Its EndpointSlice, a proxy that checks it, or failed requests of the last minutes.'),
            node: z.string().nullable().describe('The proxy that checks it.'),
            verdict: z.enum(Object.keys(verdictWords) as [VerdictCode, ...VerdictCode[]]),
            detail: z.string().nullable().describe("Envoy's words."),
            since: time.nullable().describe('Null: not known.'),
            count: z.int().min(0).nullable().describe('Failed requests that are known since then.'),
          }),
        )
        .describe('What is said of it, the worst first; `serving` when nothing is.'),
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
    verification: z
      .enum(['full', 'pinned', 'none'])
      .describe('By names and authorities, by hashes of a BackendPolicy in their place, or not at all.'),
  })
    .nullable()
    .describe('How proxies know it; null: they speak plain text to it.'),
  referencedBy: z.array(reference),
  patchedBy: reference.nullable().describe('The EnvoyPatch that is laid over its cluster; null: none.'),
  loadBalancing: object({
    policy: z.enum(['round_robin', 'least_request', 'random', 'hash', 'endpoint_picker']),
    prefersZone: flag,
  }).describe("`prefersZone`: endpoints of the proxy's own zone get all requests while one of them is well."),
  pool: z
    .string()
    .nullable()
    .describe('`NAMESPACE/NAME` of the InferencePool that requests end at, of itself or of an AIService; null: none.'),
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
