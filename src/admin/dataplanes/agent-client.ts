import { type IncomingMessage, request } from 'node:http';
import * as z from 'zod';
import type { SecretText } from '../../config/index.ts';
import { limited } from '../../std/index.ts';

/** An answer that is longer than this is no answer of an agent. */
const maxBytes = 16 * 1024 * 1024;
/** All that Envoy holds may be more. */
const maxReportBytes = 256 * 1024 * 1024;

const count = z.number().min(0);
const text = z.string();

const status = z.object({
  version: text,
  uptime_seconds: count,
  ready: z.boolean(),
  ready_message: text.nullable(),
  config_version: text.nullable(),
  config_applied_at: text.nullable(),
  serving: text,
  listeners: z.array(z.object({ name: text, address: text, protocol: text, active: z.boolean() })),
  envoy: z.object({ version: text, state: text, pid: count.nullable(), restarts: count }),
});

const connections = z.object({
  active_connections: count,
  connections_per_second: count,
  total_connections: count,
  connection_errors: count,
});

const xds = z.object({
  connected: z.boolean(),
  controlplane_address: text,
  connected_since: text.nullable(),
  last_config_version: text.nullable(),
  last_config_nonce: text.nullable(),
  last_config_status: z.enum(['ACK', 'NACK']).nullable(),
  stream_reconnects: count,
});

const backends = z.array(z.object({ endpoints: z.array(z.object({ healthy: z.boolean() })) }));

const stats = z.object({
  requests: count,
  responses: z.object({ '1xx': count, '2xx': count, '3xx': count, '4xx': count, '5xx': count }),
  latency_ms: z.object({ p50: count.nullable(), p95: count.nullable(), p99: count.nullable() }),
  bytes: z.object({ received: count, sent: count }),
});

/** An agent's admin API. */
export interface AgentPlace {
  /** `HOST:PORT` */
  readonly address: string;
  /** What it asks for; undefined for an older agent, which asks for nothing. */
  readonly token?: SecretText | undefined;
}

/** What an agent says of its data plane now, in the words of Layout 1. `timeoutMs` is for all of its answers. */
export async function askAgent(agent: AgentPlace, timeoutMs: number) {
  const signal = AbortSignal.timeout(timeoutMs);
  const ask = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => {
    const answer = schema.safeParse(await getJson(agent, path, signal));
    if (answer.success) return answer.data;
    throw new Error(`/api/v1/${path} is not what an agent of this version answers`);
  };
  const [now, open, stream, pools, traffic] = await Promise.all([
    ask('status', status),
    ask('stats/connections', connections),
    ask('xds/status', xds),
    ask('stats/backends', backends),
    ask('stats', stats),
  ]);
  return {
    status: {
      ready: now.ready,
      readyMessage: now.ready_message,
      version: now.version,
      uptimeSeconds: now.uptime_seconds,
      configVersion: now.config_version,
      configAppliedAt: now.config_applied_at,
      serving: now.serving,
      listeners: now.listeners,
      envoy: now.envoy,
    },
    connections: {
      active: open.active_connections,
      perSecond: open.connections_per_second,
      total: open.total_connections,
      errors: open.connection_errors,
    },
    xds: {
      connected: stream.connected,
      controlPlaneAddress: stream.controlplane_address,
      connectedSince: stream.connected_since,
      lastConfigVersion: stream.last_config_version,
      lastConfigNonce: stream.last_config_nonce,
      lastConfigStatus: stream.last_config_status,
      streamReconnects: stream.stream_reconnects,
    },
    backends: countHealthy(pools.flatMap(({ endpoints }) => endpoints)),
    traffic: {
      requests: traffic.requests,
      ...traffic.responses,
      ...traffic.latency_ms,
      bytesIn: traffic.bytes.received,
      bytesOut: traffic.bytes.sent,
    },
  };
}

/** One answer of an agent as it gave it. `path` is behind `/api/v1/`. */
export const askAgentFor = (agent: AgentPlace, path: string, timeoutMs: number): Promise<unknown> =>
  getJson(agent, path, AbortSignal.timeout(timeoutMs), maxReportBytes);

function countHealthy(endpoints: readonly { readonly healthy: boolean }[]) {
  const healthy = endpoints.filter((endpoint) => endpoint.healthy).length;
  return { healthy, unhealthy: endpoints.length - healthy };
}

async function getJson(agent: AgentPlace, path: string, signal: AbortSignal, longest = maxBytes): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of opened(agent, path, signal, longest)) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Error('the answer is no JSON');
  }
}

/** The same while it comes in. */
export const readAgent = (agent: AgentPlace, path: string, timeoutMs: number): AsyncIterable<Buffer> =>
  opened(agent, path, AbortSignal.timeout(timeoutMs), maxReportBytes);

async function* opened(agent: AgentPlace, path: string, signal: AbortSignal, longest: number): AsyncGenerator<Buffer> {
  try {
    yield* limited(await answerOf(agent, path, signal), longest);
  } catch (cause) {
    throw signal.aborted ? new Error('no answer in time') : cause;
  }
}

/** Follows no redirect: the answer must be the agent's own. */
function answerOf({ address, token }: AgentPlace, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token.reveal()}` };
  return new Promise((resolve, reject) => {
    const call = request(`http://${address}/api/v1/${path}`, { signal, agent: false, headers }, (response) => {
      if (response.statusCode === 200) return resolve(response);
      response.resume();
      reject(new Error(rejectionOf(response.statusCode)));
    });
    call.on('error', reject);
    call.end();
  });
}

const rejectionOf = (status: number | undefined): string =>
  status === 401 ? 'status 401: it does not take the token that it sent on its stream' : `status ${status}`;
