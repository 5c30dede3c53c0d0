import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import { typed } from './typed.ts';

export interface OverloadOptions {
  /** In bytes. */
  readonly maxHeapBytes: number;
  readonly maxConnections: number;
}

/** Connections that one proxy takes at most, when nothing else is said. */
export const defaultMaxConnections = 50_000;

/** The agent's own share of the memory. */
const agentBytes = 160 * 1024 * 1024;
const smallestHeapBytes = 128 * 1024 * 1024;

/** Four fifths of the memory this container or machine has, less what the agent needs: the rest is for what is no heap. */
export function defaultMaxHeapBytes(): number {
  const total = totalmem();
  const constrained = constrainedMemory();
  const available = constrained > 0 && constrained < total ? constrained : total;
  return Math.max(smallestHeapBytes, Math.floor((available - agentBytes) * 0.8));
}

const heap = 'envoy.resource_monitors.fixed_heap';

/** What Envoy does as its heap fills, by how full it is: the gentle things first. */
const actions = [
  ['envoy.overload_actions.shrink_heap', 0.9],
  ['envoy.overload_actions.disable_http_keepalive', 0.92],
  ['envoy.overload_actions.stop_accepting_requests', 0.97],
] as const;

/** Where Envoy rejects new work before it costs anything. */
const loadShedPoints = [
  ['envoy.load_shed_points.tcp_listener_accept', 0.95],
  ['envoy.load_shed_points.http2_server_go_away_on_dispatch', 0.95],
  ['envoy.load_shed_points.http_connection_manager_decode_headers', 0.95],
] as const;

/** `envoy.config.overload.v3.OverloadManager` in JSON, which keeps Envoy alive under more load than it can carry. */
export const overloadManager = ({ maxHeapBytes, maxConnections }: OverloadOptions) => ({
  refresh_interval: '1s',
  resource_monitors: [
    {
      name: heap,
      typed_config: typed(`${monitors}.fixed_heap.v3.FixedHeapConfig`, { max_heap_size_bytes: maxHeapBytes }),
    },
    {
      name: 'envoy.resource_monitors.global_downstream_max_connections',
      typed_config: typed(`${monitors}.downstream_connections.v3.DownstreamConnectionsConfig`, {
        max_active_downstream_connections: maxConnections,
      }),
    },
  ],
  actions: actions.map(([name, fullness]) => ({ name, triggers: [heapTrigger(fullness)] })),
  loadshed_points: loadShedPoints.map(([name, fullness]) => ({ name, triggers: [heapTrigger(fullness)] })),
});

const monitors = 'envoy.extensions.resource_monitors';

const heapTrigger = (value: number) => ({ name: heap, threshold: { value } });
