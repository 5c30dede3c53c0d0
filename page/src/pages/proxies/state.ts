import type { Node, SnapshotSyncNode } from '../../api/index.ts';
import type { State } from '../../parts/index.ts';

/** A proxy, with where it stands. */
export interface ProxyRow extends Node {
  readonly standing: SnapshotSyncNode['state'] | 'lost';
}

export const stateOfProxy = ({ standing, refusalCount }: Pick<ProxyRow, 'standing' | 'refusalCount'>): State => {
  if (standing === 'rejected' || refusalCount > 0) return 'failing';
  if (standing === 'lost' || standing === 'disconnected') return 'failing';
  return standing === 'current-ready' ? 'ok' : 'warning';
};

/** A snapshot's id as people compare it. */
export const shortId = (id: string | null): string => (id === null ? '–' : id.slice(0, 12));

/** Nodes with what the comparison with the newest snapshot says of each. */
export function rowsOf(nodes: readonly Node[], standings: readonly SnapshotSyncNode[]): readonly ProxyRow[] {
  const byId = new Map(standings.map((standing) => [standing.nodeId, standing.state]));
  return nodes.map((node) => ({
    ...node,
    standing: node.lost ? 'lost' : (byId.get(node.nodeId) ?? (node.connected ? 'drifted' : 'disconnected')),
  }));
}
