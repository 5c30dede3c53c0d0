import type { NodeView } from '../../xds/index.ts';
import { timeText, timeTextOrNull } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import { isLost } from '../summary/warnings.ts';
import type { NodeRecord, RejectionRecord } from './record.ts';

export const nodeRecord = (
  node: NodeView,
  { leadership, graph }: Pick<AdminSources, 'leadership' | 'graph'>,
): NodeRecord => ({
  nodeId: node.nodeId,
  name: node.nodeId,
  gateway: node.gateway,
  gatewayKnown: !isLost(node, graph),
  cluster: node.cluster,
  version: node.version,
  envoyVersion: node.envoyVersion,
  connected: node.connected,
  lost: !node.connected,
  ready: node.ready,
  connectedAt: timeText(node.connectedAt),
  disconnectedAt: timeTextOrNull(node.disconnectedAt),
  disconnectReason: node.disconnectReason ?? null,
  lastSeenAt: timeText(node.lastSeenAt),
  lastSentVersion: node.lastSentVersion ?? null,
  lastAckVersion: node.lastAckVersion ?? null,
  lastConfigVersion: node.lastConfigVersion ?? null,
  lastNonce: node.lastNonce ?? null,
  lastConfigStatus: node.lastConfigStatus ?? null,
  lastNackVersion: node.lastNackVersion ?? null,
  lastNackMessage: node.lastNackMessage ?? null,
  subscriptions: node.subscriptions,
  stream: node.stream,
  peer: node.peer,
  replica: node.replica ?? leadership().identity,
  staleSince: timeTextOrNull(node.staleSince),
  supersededCount: node.supersededCount,
  refusals: rejectionRecords(node, graph),
  refusalCount: node.refusalCount,
  trials: node.trials.map(({ key, trial, message, since }) => ({
    key,
    state: trial === 'running' ? 'running' : 'untried',
    message,
    since: timeText(since),
  })),
  databaseFaults: node.databaseFaults.map(({ database, message }) => ({ database, message })),
});

export const rejectionRecords = ({ refusals, gateway }: NodeView, graph: AdminSources['graph']): RejectionRecord[] =>
  refusals.map(({ kind, key, digest, typeUrl: resourceType, message, since }) => ({
    kind,
    key,
    resourceType,
    message,
    since: timeText(since),
    heldBackFrom: graph.isHeld({ kind, gateway, key, digest }) ? 'fleet' : 'node',
  }));
