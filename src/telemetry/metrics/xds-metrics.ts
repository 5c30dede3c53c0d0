import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { durationBuckets, prefix, typeLabel } from './names.ts';

/** Why an xDS stream ended. */
export const streamEndReasons = [
  'shutdown',
  'client_disconnect',
  'superseded',
  'send_timeout',
  'ack_timeout',
  'first_request_timeout',
  'invalid_request',
  'unauthenticated',
  'limit_exceeded',
  'unsupported_version',
  'error',
] as const;

export type StreamEndReason = (typeof streamEndReasons)[number];

/** A data plane: fleets give out their ids without looking at each other. */
export interface MeasuredNode {
  readonly nodeId: string;
  readonly gateway: string;
}

/** What the xDS server tells. */
export interface XdsMetrics {
  streamOpened(): void;
  streamEnded(reason: StreamEndReason): void;
  /** A connection that TLS came to nothing on: counted as `unauthenticated`, though it had no stream. */
  connectionRefused(): void;
  pushed(typeUrl: string, bytes: number): void;
  /** Seconds from a push to its ACK. */
  acknowledged(seconds: number): void;
  rejected(typeUrl: string): void;
  nodeReady(node: MeasuredNode, ready: boolean): void;
  /** The node is no longer listed; its series ends. */
  nodeForgotten(node: MeasuredNode): void;
}

/** Streams and pushes; the names with `gateway_` are the contract's. */
export function createXdsMetrics(registry: Registry): XdsMetrics {
  const registers = [registry];
  const ready = new Gauge({
    name: `${prefix}gateway_dataplane_ready`,
    help: '1 when the data plane is connected and has applied a snapshot.',
    labelNames: ['node_id', 'gateway'],
    registers,
  });
  const terminations = new Counter({
    name: `${prefix}gateway_controlplane_xds_stream_terminations_total`,
    help: 'xDS streams that ended.',
    labelNames: ['reason'],
    registers,
  });
  const streams = new Gauge({ name: `${prefix}xds_streams`, help: 'Open xDS streams.', registers });
  const pushedBytes = new Counter({
    name: `${prefix}xds_push_bytes_total`,
    help: 'Encoded bytes of resources sent to proxies.',
    labelNames: ['type'],
    registers,
  });
  const pushToAck = new Histogram({
    name: `${prefix}xds_push_to_ack_seconds`,
    help: 'Time from a push to its ACK.',
    buckets: durationBuckets,
    registers,
  });
  const nacks = new Counter({
    name: `${prefix}xds_nacks_total`,
    help: 'Pushes that a proxy rejected.',
    labelNames: ['type'],
    registers,
  });
  // A counter that exists from the start lets a rate see its first increase.
  for (const reason of streamEndReasons) terminations.inc({ reason }, 0);
  return {
    streamOpened: () => streams.inc(),
    streamEnded: (reason) => {
      streams.dec();
      terminations.inc({ reason });
    },
    connectionRefused: () => terminations.inc({ reason: 'unauthenticated' }),
    pushed: (typeUrl, bytes) => pushedBytes.inc({ type: typeLabel(typeUrl) }, bytes),
    acknowledged: (seconds) => pushToAck.observe(seconds),
    rejected: (typeUrl) => nacks.inc({ type: typeLabel(typeUrl) }),
    nodeReady: (node, isReady) => ready.set(labelsOf(node), isReady ? 1 : 0),
    nodeForgotten: (node) => ready.remove(labelsOf(node)),
  };
}

const labelsOf = ({ nodeId, gateway }: MeasuredNode) => ({ node_id: nodeId, gateway });
