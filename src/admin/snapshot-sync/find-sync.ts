import type { NodeView } from '../../xds/index.ts';
import { countNodes, nodeSync } from '../nodes/node-sync.ts';
import { timeText, timeTextOrNull } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import { lostNodes, rejections, snapshotMissing } from '../summary/warnings.ts';
import type { SnapshotSync } from './record.ts';

type SyncedNode = SnapshotSync['nodes'][number];

/** How every data plane stands to the newest snapshot. */
export function findSync({ graph, nodes, now, replicas, leadership }: AdminSources): SnapshotSync {
  const snapshot = graph.snapshot();
  const all = [...nodes.list()].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
  return {
    snapshotVersion: snapshot?.id ?? null,
    generatedAt: timeTextOrNull(snapshot?.generatedAt),
    publishedFor: snapshot === undefined ? null : durationText(now().getTime() - snapshot.generatedAt.getTime()),
    summary: countNodes(all, snapshot?.id),
    nodes: all.map((node) => ({ ...syncedNode(node, snapshot?.id), replica: node.replica ?? leadership().identity })),
    warnings: [
      ...(snapshot === undefined ? [snapshotMissing] : []),
      ...rejections(all, snapshot?.id),
      ...lostNodes(all, graph).map(({ code, message }) => ({ code, message })),
      ...replicas.warnings(),
    ],
  };
}

const syncedNode = (node: NodeView, snapshotId: string | undefined): Omit<SyncedNode, 'replica'> => ({
  nodeId: node.nodeId,
  cluster: node.cluster,
  gateway: node.gateway,
  connected: node.connected,
  lost: !node.connected,
  ready: node.ready,
  ...nodeSync(node, snapshotId),
  lastConfigStatus: node.lastConfigStatus ?? null,
  lastAckVersion: node.lastAckVersion ?? null,
  lastSentVersion: node.lastSentVersion ?? null,
  lastNackVersion: node.lastNackVersion ?? null,
  lastNackNonce: node.lastNackNonce ?? null,
  lastNackMessage: node.lastNackMessage ?? null,
  lastSeenAt: timeText(node.lastSeenAt),
  connectedAt: timeText(node.connectedAt),
  disconnectedAt: timeTextOrNull(node.disconnectedAt),
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
