import { setTimeout as delay } from 'node:timers/promises';
import type { AdminClient } from '../kit/admin-client.ts';
import { table } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';

export interface SyncOptions {
  /** Until all nodes are current, or `timeoutMs` have passed. */
  readonly wait: boolean;
  readonly timeoutMs: number;
  /** So many nodes at least must be current; a cluster without any is not in sync. */
  readonly nodes: number;
}

const pollMs = 250;

/** Whether every connected data plane runs the newest snapshot, and there are as many as wanted. Looks again while it waits. */
export async function sync(
  client: AdminClient,
  { wait, timeoutMs, nodes }: SyncOptions,
): Promise<{ readonly isInSync: boolean; readonly state: Wire['sync'] }> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const state = await client.get<Wire['sync']>('/v1/snapshot-sync');
    const connected = state.nodes.filter((node) => node.connected);
    const isInSync = connected.length >= nodes && connected.every((node) => node.state === 'current-ready');
    if (isInSync || !wait || Date.now() > deadline) return { isInSync, state };
    await delay(pollMs);
  }
}

export function syncText({ snapshotVersion, publishedFor, nodes }: Wire['sync']): string {
  const head =
    snapshotVersion === null ? 'no snapshot yet' : `snapshot ${snapshotVersion}, published for ${publishedFor}`;
  if (nodes.length === 0) return `${head}\nno data plane has connected yet`;
  const rows = table(nodes, [
    { heading: 'node', cell: ({ nodeId }) => nodeId },
    { heading: 'gateway', cell: ({ gateway }) => gateway },
    { heading: 'state', cell: ({ state }) => state },
    { heading: 'applied', cell: ({ lastAckVersion }) => lastAckVersion ?? '' },
    { heading: 'message', cell: ({ message }) => message },
  ]);
  return `${head}\n${rows}`;
}
