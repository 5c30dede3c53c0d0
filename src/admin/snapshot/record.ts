import * as z from 'zod';
import { targetingKinds } from '../../gateway-api/index.ts';
import { certificateFacts } from '../certificates/record.ts';
import { count, flag, named, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** Where a host is at home. */
const host = { gateway: z.string(), table: z.string(), scope: z.enum(['exact', 'fallback']), host: z.string() };

const policy = named('SnapshotPolicy', 'A policy that affects some Gateway of ours.', {
  kind: z.enum(targetingKinds),
  namespace: z.string(),
  name: z.string(),
  targets: z
    .array(object({ kind: z.string(), name: z.string(), sectionName: z.string().nullable() }))
    .describe('In its own namespace.'),
  gateways: z.array(z.string()).describe('`NAMESPACE/NAME` of the Gateways whose proxies reach its targets.'),
  accepted: flag,
});

export const snapshot = named(
  'Snapshot',
  "The whole IR as it may be shown: of certificates what they say, of keys nothing. Matches, rules and chains are the IR's own, which `src/ir` describes. /",
  {
    id: z.string(),
    generatedAt: time,
    listeners: z.array(
      object({
        gateway: z.string(),
        key: z.string(),
        transport: z.enum(['tcp', 'udp', 'quic']),
        bind: object({ address: z.string(), port: z.int() }),
        proxyProtocol: z.enum(['required', 'optional']).optional(),
        bufferBytes: z.int().optional(),
        maxConcurrentStreams: z.int().optional(),
        keepalive: z.looseObject({}).optional(),
        chains: z.array(z.looseObject({ kind: z.string(), name: z.string() })),
      }),
    ),
    hosts: z.array(object({ ...host, fallThrough: flag, misdirected: flag })),
    streams: z.array(
      object({
        gateway: z.string(),
        table: z.string(),
        host: z.string(),
        source: z.string().optional(),
        shares: z.array(object({ backend: z.string().optional(), weight: z.int() })),
      }),
    ),
    routes: z.array(object({ ...host, id: z.string(), match: z.looseObject({}), rule: z.looseObject({}) })),
    backends: z.array(
      object({
        key: z.string(),
        namespace: z.string(),
        service: z.string(),
        port: z.int(),
        protocol: z.string(),
        kind: z.enum(['ServiceImport', 'XBackend', 'InferencePool']).optional(),
        hostname: z.string().optional(),
        tls: object({
          serverName: z.string(),
          names: z.array(object({ kind: z.enum(['dns', 'uri']), value: z.string() })),
          authorities: z.enum(['configured', 'system']),
          clientCertificate: z.string().optional(),
          ownCertificate: z.string().optional(),
          unverified: z.literal(true).optional().describe('Every certificate is accepted.'),
        }).optional(),
        retryBudget: object({ percent: z.number(), intervalMs: count, minPerSecond: count }).optional(),
        prefersZone: z.literal(true).optional(),
        tuning: z.looseObject({}).optional(),
        pool: z
          .looseObject({})
          .optional()
          .describe('The model servers and the endpoint picker of an InferencePool, by keys of backends.'),
      }),
    ),
    endpoints: z.record(
      z.string(),
      z.array(
        object({
          address: z.string(),
          port: z.int(),
          health: z.enum(['ready', 'draining']),
          zone: z.string().optional(),
          node: z.string().optional(),
        }),
      ),
    ),
    secrets: z.array(
      object({ key: z.string(), ...certificateFacts })
        .partial()
        .required({ key: true }),
    ),
    policies: z.array(policy),
  },
);

const envoyResource = named(
  'EnvoyResource',
  "One resource as a data plane is sent it, in protobuf JSON with the names of Envoy's documentation.",
  {
    typeUrl: z.string(),
    name: z.string(),
    version: z.string(),
    resource: z.looseObject({}),
  },
);

export const envoySnapshot = named('EnvoySnapshot', 'What one data plane is sent.', {
  id: z.string(),
  gateway: z.string(),
  resources: z.array(envoyResource),
});

export type SnapshotRecord = Shown<typeof snapshot>;
export type PolicyRecord = Shown<typeof policy>;
export type EnvoyResourceRecord = Shown<typeof envoyResource>;
export type EnvoySnapshotRecord = Shown<typeof envoySnapshot>;
