import { type MetricSet, typeLabel } from '../telemetry/index.ts';
import type { NodeView } from './nodes/node-view.ts';
import type { TypeSize } from './session/resource-group.ts';
import type { TrialVerdict } from './session/trials.ts';

/** Why a stream ended; the values of `…_xds_stream_terminations_total{reason}`. */
export const terminationReasons = [
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

export type TerminationReason = (typeof terminationReasons)[number];

/** The values of `…_xds_trials_total{outcome}`. */
const trialOutcomes: readonly TrialVerdict[] = ['valid', 'rejected', 'untried'];

interface Pushed {
  readonly typeUrl: string;
  readonly bytes: number;
  readonly resources: number;
}

interface Answered {
  readonly typeUrl: string;
  readonly status: 'ACK' | 'NACK';
  readonly ms: number;
}

/** What the xDS server counts. Must not throw. */
export type XdsMetrics = ReturnType<typeof xdsMetrics>;

/** Streams, pushes, and what was published. */
export function xdsMetrics(metrics: MetricSet) {
  const ready = metrics.gauge('gateway_dataplane_ready', {
    help: '1 while the data plane is connected and has applied a snapshot, otherwise 0.',
    labels: ['node_id', 'gateway'],
  });
  const terminations = metrics.counter('gateway_controlplane_xds_stream_terminations_total', {
    help: 'xDS streams that ended, by reason.',
    labels: ['reason'],
    initial: terminationReasons.map((reason) => ({ reason })),
  });
  const streams = metrics.gauge('xds_streams', { help: 'Open xDS streams.' });
  const pushedBytes = metrics.counter('xds_push_bytes_total', {
    help: 'Bytes of xDS responses sent to proxies, by resource type.',
    labels: ['type'],
  });
  const pushToAck = metrics.histogram('xds_push_to_ack_seconds', {
    help: 'Time from sending an xDS response to its ACK.',
  });
  const nacks = metrics.counter('xds_nacks_total', {
    help: 'xDS responses that a proxy rejected (NACK), by resource type.',
    labels: ['type'],
  });
  const trials = metrics.counter('xds_trials_total', {
    help: 'EnvoyPatches that a second Envoy of a proxy tried before the one that serves gets them, by outcome. `untried` ones were sent without that. Each proxy tries each content of a patch.',
    labels: ['outcome'],
    initial: trialOutcomes.map((outcome) => ({ outcome })),
  });
  const published = metrics.counter('published_total', { help: 'Snapshots published to proxies.' });
  const resources = metrics.observedGauge('snapshot_resources', {
    help: 'Envoy resources in the latest snapshot, by type.',
    labels: ['type'],
  });
  const bytes = metrics.observedGauge('snapshot_bytes', {
    help: 'Encoded bytes of the Envoy resources in the latest snapshot, by type.',
    labels: ['type'],
  });
  return {
    streamOpened: (_variant: 'delta' | 'sotw') => streams.inc(),
    streamClosed(reason: TerminationReason) {
      streams.dec();
      terminations.inc({ reason });
    },
    /** A connection was lost before it had a stream, apparently for what it or we showed in TLS. */
    connectionRefused: () => terminations.inc({ reason: 'unauthenticated' }),
    pushed: ({ typeUrl, bytes: sent }: Pushed) => pushedBytes.inc({ type: typeLabel(typeUrl) }, sent),
    /** An answer came for a push; `ms` since it was handed to the stream. */
    answered({ typeUrl, status, ms }: Answered) {
      if (status === 'ACK') pushToAck.observe(ms / 1000);
      else nacks.inc({ type: typeLabel(typeUrl) });
    },
    nodeReady: (node: MeasuredNode, isReady: boolean) => ready.set(labelsOf(node), isReady ? 1 : 0),
    /** The node is no longer listed; its series ends. */
    nodeForgotten: (node: MeasuredNode) => ready.remove(labelsOf(node)),
    trialEnded: (outcome: TrialVerdict) => trials.inc({ outcome }),
    published: () => published.inc(),
    readSizes(read: () => readonly TypeSize[]) {
      resources.readBy(() => read().map((size) => [{ type: typeLabel(size.typeUrl) }, size.resources]));
      bytes.readBy(() => read().map((size) => [{ type: typeLabel(size.typeUrl) }, size.bytes]));
    },
  };
}

/** Fleets give out the ids of their nodes without looking at each other. */
type MeasuredNode = Pick<NodeView, 'nodeId' | 'gateway'>;

const labelsOf = ({ nodeId, gateway }: MeasuredNode) => ({ node_id: nodeId, gateway });
