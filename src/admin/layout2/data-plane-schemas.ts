import * as z from 'zod';
import { named } from '../resource/leaves.ts';

// What an agent answers on its own port (src/agent/admin). Described here, with all else that operators can ask.

const time = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);
const object = z.strictObject;
const milliseconds = z.number().min(0).nullable();
const serving = z.enum(['none', 'current', 'cached', 'last_good']);
const answerStatus = z.enum(['ACK', 'NACK']).nullable();

export const status = named('AgentStatus', 'How a data plane fares.', {
  node_id: z.string(),
  version: z.string(),
  uptime_seconds: count,
  ready: z.boolean(),
  ready_message: z.string().nullable(),
  faults: z.array(object({ reason: z.string(), message: z.string(), blocking: z.boolean() })),
  config_version: z.string().nullable(),
  config_applied_at: time.nullable(),
  listeners: z.array(object({ name: z.string(), address: z.string(), protocol: z.string(), active: z.boolean() })),
  serving,
  cache: object({
    path: z.string(),
    written_at: time.nullable(),
    bytes: count,
    write_failures: count,
    fault: z.string().nullable(),
    restored_from: time.nullable(),
  }).nullable(),
  envoy: z.looseObject({ pid: count.nullable() }),
});

export const configVersion = named('AgentConfigVersion', 'Which snapshot Envoy has applied.', {
  id: z.string().nullable(),
  applied_at: time.nullable(),
  nonce: z.string().nullable(),
  types: z.record(z.string(), object({ resources: count, refused: z.array(z.string()), outstanding: count })),
});

const updated = { name: z.string(), version: z.string(), last_updated: z.string().nullable() };

export const config = named('AgentConfig', 'What Envoy has applied.', {
  version: z.string().nullable(),
  applied_at: time.nullable(),
  listeners: z.array(object({ ...updated, error: z.string() })),
  routes: z.array(object({ ...updated, hosts: z.array(z.string()), routes: count })),
  clusters: z.array(object(updated)),
  secrets: z.array(z.string()),
});

/** Envoy's own `/config_dump`, keys redacted. */
export const configDump = z
  .looseObject({ configs: z.array(z.looseObject({})) })
  .meta({ id: 'AgentConfigDump', description: 'What Envoy has, in its own form; keys are redacted.' });

const responses = named('AgentResponses', 'Responses by the first digit of their status.', {
  '1xx': count,
  '2xx': count,
  '3xx': count,
  '4xx': count,
  '5xx': count,
});
const latency = named('AgentLatency', 'Quantiles of the latency in milliseconds; null where no request came.', {
  p50: milliseconds,
  p95: milliseconds,
  p99: milliseconds,
});
const traffic = {
  requests: count,
  responses,
  latency_ms: latency,
  bytes: object({ received: count, sent: count }),
};

export const stats = named('AgentStats', 'Traffic since Envoy started.', {
  ...traffic,
  retries: count,
  circuit_breaker_trips: count,
  listeners: z.array(object({ name: z.string(), ...traffic })),
  backends: z.array(
    object({
      name: z.string(),
      requests: count,
      responses,
      latency_ms: latency,
      retries: count,
      timeouts: count,
      circuit_breaker_trips: count,
      connection_failures: count,
      active_connections: count,
    }),
  ),
  envoy: z.record(z.string(), z.number()).optional(),
});

export const connections = named('AgentConnections', 'Connections of clients.', {
  active_connections: count,
  connections_per_second: z.number().min(0),
  total_connections: count,
  connection_errors: count,
});

export const backends = z.array(
  named('AgentBackend', 'Endpoints of a backend as Envoy sees their health.', {
    name: z.string(),
    namespace: z.string(),
    endpoints: z.array(
      object({
        address: z.string(),
        healthy: z.boolean(),
        zone: z.string(),
        failure: z.string().nullable(),
        weight: count,
      }),
    ),
  }),
);

export const names = named(
  'AgentNames',
  'Names that Envoy asked for, and those that lead where no request may be sent.',
  {
    asked: count,
    failed: count,
    refused: count,
    names: z.array(object({ name: z.string(), message: z.string(), times: count, last_at: time })),
  },
);

export const xdsStatus = named('AgentXdsStatus', 'The stream to the control plane.', {
  connected: z.boolean(),
  controlplane_address: z.string(),
  connected_since: time.nullable(),
  serving,
  last_config_version: z.string().nullable(),
  last_config_nonce: z.string().nullable(),
  last_config_status: answerStatus,
  stream_reconnects: count,
  last_nack_message: z.string().nullable(),
  last_disconnect_reason: z.string().nullable(),
  superseded_count: count,
  superseded_at: time.nullable(),
  duplicate_node_id: z.boolean(),
});
