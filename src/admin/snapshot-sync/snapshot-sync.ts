import type { NodeView } from '../../xds/index.ts';
import { countNodes, type NodeCounts, type NodeSync, nodeSync } from '../nodes/node-sync.ts';
import type { AdminSources } from '../sources.ts';
import { lostNodes, rejections, snapshotMissing, type Warning } from '../summary/warnings.ts';

/** One node against the newest snapshot. */
export interface SyncedNode extends NodeSync {
  readonly nodeId: string;
  readonly cluster: string;
  readonly gateway: string;
  readonly connected: boolean;
  readonly ready: boolean;
  readonly lastConfigStatus: 'ACK' | 'NACK' | null;
  readonly lastAckVersion: string | null;
  readonly lastSentVersion: string | null;
  readonly lastNackVersion: string | null;
  readonly lastNackNonce: string | null;
  readonly lastNackMessage: string | null;
  readonly lastSeenAt: Date;
  readonly connectedAt: Date;
  readonly disconnectedAt: Date | null;
  /** Which control plane replica it is connected to. */
  readonly replica: string;
}

/** Whether all data planes run the newest snapshot. */
export interface SnapshotSync {
  readonly snapshotVersion: string | null;
  readonly generatedAt: Date | null;
  /** How long the snapshot has been the newest, such as `12s`. */
  readonly publishedFor: string | null;
  readonly summary: NodeCounts;
  readonly nodes: readonly SyncedNode[];
  readonly warnings: readonly Warning[];
}

export function snapshotSync({ graph, nodes, now, replicas, leadership }: AdminSources): SnapshotSync {
  const snapshot = graph.snapshot();
  const all = [...nodes.list()].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
  return {
    snapshotVersion: snapshot?.id ?? null,
    generatedAt: snapshot?.generatedAt ?? null,
    publishedFor: snapshot === undefined ? null : durationText(now().getTime() - snapshot.generatedAt.getTime()),
    summary: countNodes(all, snapshot?.id),
    nodes: all.map((node) => ({ ...syncedNode(node, snapshot?.id), replica: node.replica ?? leadership().identity })),
    warnings: [
      ...(snapshot === undefined ? [snapshotMissing] : []),
      ...rejections(all, snapshot?.id),
      ...lostNodes(all, graph),
      ...replicas.warnings(),
    ],
  };
}

const syncedNode = (node: NodeView, snapshotId: string | undefined): Omit<SyncedNode, 'replica'> => ({
  nodeId: node.nodeId,
  cluster: node.cluster,
  gateway: node.gateway,
  connected: node.connected,
  ready: node.ready,
  ...nodeSync(node, snapshotId),
  lastConfigStatus: node.lastConfigStatus ?? null,
  lastAckVersion: node.lastAckVersion ?? null,
  lastSentVersion: node.lastSentVersion ?? null,
  lastNackVersion: node.lastNackVersion ?? null,
  lastNackNonce: node.lastNackNonce ?? null,
  lastNackMessage: node.lastNackMessage ?? null,
  lastSeenAt: node.lastSeenAt,
  connectedAt: node.connectedAt,
  disconnectedAt: node.disconnectedAt ?? null,
});

/** In the Gateway API's form (GEP-2257): hours, minutes, seconds, and milliseconds below one second. */
function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.floor(ms))}ms`;
  const seconds = Math.floor(ms / 1000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join('');
}
