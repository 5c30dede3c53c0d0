import * as z from 'zod';
import { addresses, count, listener, named, object, time } from '../resource/leaves.ts';

// What the answers of Layout 2 look like. The first fields of each are the contract's.

export const snapshotVersion = named('SnapshotVersion', 'Which snapshot is the newest.', {
  id: z.string().min(1),
  generated_at: time,
  gateways: count,
  routes: count,
  backends: count,
  clients_connected: count,
});

export const client = named('Client', 'A data plane as a client of xDS.', {
  node_id: z.string(),
  cluster: z.string(),
  version: z.string(),
  connected_since: time,
  last_config_version: z.string(),
  last_config_nonce: z.string(),
  last_config_status: z.enum(['ACK', 'NACK']).nullable(),
  subscriptions: z.array(z.string()),
  connected: z.boolean(),
  lost: z.boolean(),
  gateway: z.string(),
  stream: z.enum(['delta', 'sotw']),
  last_nack_message: z.string().nullable(),
  refusals: z.array(
    object({
      kind: z.enum(['route', 'backend', 'endpoints', 'listener', 'secret', 'access', 'traffic', 'limit', 'patch']),
      key: z.string(),
      resource_type: z.string(),
      message: z.string(),
      since: time,
      held_back_from: z.enum(['node', 'fleet']),
    }),
  ),
  refusal_count: count,
});

const condition = named('Layout2Condition', 'A condition as the Gateway API has it.', {
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  observed_generation: z.number().optional(),
});

export const gateway = named('Layout2Gateway', 'A Gateway of one of our classes.', {
  namespace: z.string(),
  name: z.string(),
  gateway_class: z.string(),
  addresses,
  listeners: z.array(object({ ...listener, attached_routes: count, conditions: z.array(condition) })),
  attached_routes: count,
  conditions: z.array(condition),
  clients: z.array(z.string()),
});

export const route = named('Layout2Route', 'One route of any kind.', {
  kind: z.enum(['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'UDPRoute', 'TLSRoute']),
  namespace: z.string(),
  name: z.string(),
  ingress: z.string().nullable().describe('Name of the Ingress that it was made of; null: none.'),
  hostnames: z.array(z.string()),
  parent_refs: z.array(z.looseObject({ name: z.string() })),
  rules: z.array(z.looseObject({})),
  parents: z.array(
    object({
      parent_ref: z.looseObject({ name: z.string() }),
      controller_name: z.string(),
      conditions: z.array(condition),
    }),
  ),
  accepted: z.boolean(),
  resolved_refs: z.boolean(),
  created_at: time.nullable(),
  generation: z.int().nullable(),
});

export const backend = named('Layout2Backend', 'A port of a Service that routes forward to.', {
  name: z.string(),
  namespace: z.string(),
  endpoints: z.array(object({ address: z.string(), healthy: z.boolean(), zone: z.string() })),
});

export const snapshot = named(
  'Layout2Snapshot',
  'The whole intermediate representation; its parts are those of `Snapshot` with keys in snake_case.',
  {
    id: z.string(),
    generated_at: time,
    listeners: z.array(z.looseObject({ gateway: z.string(), key: z.string() })),
    hosts: z.array(z.looseObject({ host: z.string(), fall_through: z.boolean() })),
    routes: z.array(z.looseObject({ host: z.string(), id: z.string() })),
    streams: z.array(z.looseObject({ host: z.string(), shares: z.array(z.looseObject({ weight: z.int() })) })),
    backends: z.array(z.looseObject({ key: z.string() })),
    endpoints: z.record(z.string(), z.array(z.looseObject({ address: z.string(), port: z.int() }))),
    secrets: z.array(z.looseObject({ key: z.string() })),
    policies: z.array(z.looseObject({ kind: z.string(), name: z.string() })),
  },
);
