import type { NodeView } from '../../xds/index.ts';

/** Whether a node runs the newest snapshot, by the one word of the contract and by the reason for it. */
export interface NodeSync {
  readonly sync: 'current' | 'drifted';
  readonly state: 'snapshot-missing' | 'disconnected' | 'rejected' | 'drifted' | 'awaiting-ready' | 'current-ready';
  readonly reason: string;
  readonly message: string;
}

/** How a node stands to the newest snapshot, whose id is undefined before there is one. */
export function nodeSync(node: NodeView, snapshotId: string | undefined): NodeSync {
  const hasAll = node.lastAckVersion === snapshotId && node.refusalCount === 0;
  const sync = snapshotId !== undefined && hasAll ? 'current' : 'drifted';
  return { sync, ...explain(node, snapshotId, sync === 'current') };
}

function explain(node: NodeView, snapshotId: string | undefined, isCurrent: boolean): Omit<NodeSync, 'sync'> {
  if (snapshotId === undefined) {
    return { state: 'snapshot-missing', reason: 'SnapshotMissing', message: 'no snapshot has been built yet' };
  }
  if (!node.connected) {
    return { state: 'disconnected', reason: 'Disconnected', message: whyGone(node) };
  }
  if (node.refusalCount > 0) {
    return { state: 'rejected', reason: 'Rejected', message: whatIsRejected(node) };
  }
  if (node.lastConfigStatus === 'NACK') {
    return { state: 'rejected', reason: 'Rejected', message: node.lastNackMessage ?? 'the proxy gave no reason' };
  }
  if (!isCurrent) {
    const has = node.lastAckVersion === undefined ? 'nothing' : `snapshot ${node.lastAckVersion}`;
    return { state: 'drifted', reason: 'AwaitingAck', message: `the node has applied ${has} so far` };
  }
  return node.ready
    ? { state: 'current-ready', reason: 'Current', message: 'the node has applied the newest snapshot' }
    : {
        state: 'awaiting-ready',
        reason: 'AwaitingReady',
        message: 'the node has the newest snapshot but is not ready',
      };
}

function whatIsRejected({ refusals, refusalCount }: NodeView): string {
  const [first] = refusals;
  const more = refusalCount > 1 ? ` (and ${refusalCount - 1} more)` : '';
  return first ? `it rejects ${first.kind} ${first.key}: ${first.message}${more}` : 'the proxy gave no reason';
}

function whyGone({ disconnectReason = 'no reason', replica, staleSince, disconnectedAt }: NodeView): string {
  if (disconnectReason === 'replica_unreachable')
    return `lost: nothing is heard of its control plane ${replica} since ${staleSince?.toISOString()}`;
  const since = disconnectedAt === undefined ? '' : ` at ${disconnectedAt.toISOString()}`;
  return `lost: its stream ended${since} without a goodbye (${disconnectReason})`;
}

/** Counts over all nodes. What a lost one has applied is not known: it is neither current nor drifted. */
export interface NodeCounts {
  readonly nodeCount: number;
  readonly connectedNodeCount: number;
  readonly readyNodeCount: number;
  readonly currentVersionNodeCount: number;
  readonly currentVersionReadyCount: number;
  readonly driftedNodeCount: number;
  readonly lostNodeCount: number;
  /** The same. */
  readonly disconnectedNodeCount: number;
  readonly awaitingReadyNodeCount: number;
}

export function countNodes(nodes: readonly NodeView[], snapshotId: string | undefined): NodeCounts {
  const connected = nodes.filter((node) => node.connected);
  const lost = nodes.length - connected.length;
  const syncs = connected.map((node) => nodeSync(node, snapshotId));
  const current = syncs.filter(({ sync }) => sync === 'current').length;
  return {
    nodeCount: nodes.length,
    connectedNodeCount: connected.length,
    readyNodeCount: connected.filter(({ ready }) => ready).length,
    currentVersionNodeCount: current,
    currentVersionReadyCount: syncs.filter(({ state }) => state === 'current-ready').length,
    driftedNodeCount: connected.length - current,
    lostNodeCount: lost,
    disconnectedNodeCount: lost,
    awaitingReadyNodeCount: syncs.filter(({ state }) => state === 'awaiting-ready').length,
  };
}
