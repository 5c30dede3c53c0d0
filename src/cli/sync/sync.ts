import { setTimeout as delay } from 'node:timers/promises';
import type { AdminClient } from '../kit/admin-client.ts';
import type { CliIo } from '../kit/io.ts';
import { type ListOptions, type ListShape, listText } from '../kit/list.ts';
import { shortId } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';

export interface SyncOptions {
  /** Until all nodes are current, or `timeoutMs` have passed. */
  readonly wait: boolean;
  readonly timeoutMs: number;
  /** So many nodes at least must be current; a cluster without any is not in sync. */
  readonly nodes: number;
  /** Called with what is waited for, whenever that changes. */
  readonly onWait?: (progress: string) => void;
}

const pollMs = 250;

/** Whether every connected data plane runs the newest snapshot, and there are as many as wanted. Looks again while it waits. */
export async function sync(
  client: AdminClient,
  { wait, timeoutMs, nodes, onWait }: SyncOptions,
): Promise<{ readonly isInSync: boolean; readonly state: Wire['sync'] }> {
  let said = '';
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const state = await client.get<Wire['sync']>('/v1/snapshot-sync');
    const connected = state.nodes.filter((node) => node.connected);
    const isInSync = connected.length >= nodes && connected.every((node) => node.state === 'current-ready');
    if (isInSync || !wait) return { isInSync, state };
    const progress = progressOf(state, nodes);
    if (progress !== said) onWait?.(progress);
    said = progress;
    if (Date.now() > deadline) return { isInSync, state };
    await delay(pollMs);
  }
}

/** Nodes that are named in one line of progress. */
const mostNamed = 3;

function progressOf({ nodes: all }: Wire['sync'], wanted: number): string {
  const connected = all.filter(({ connected }) => connected);
  const behind = connected.filter(({ state }) => state !== 'current-ready');
  const count = `${connected.length - behind.length} of ${Math.max(connected.length, wanted)} data planes are current`;
  const named = behind.slice(0, mostNamed).map(({ nodeId, state }) => `${nodeId} is ${state}`);
  const more = behind.length > mostNamed ? [`${behind.length - mostNamed} more`] : [];
  const missing = connected.length < wanted ? [`${wanted - connected.length} not connected yet`] : [];
  return `${count}; waiting: ${[...named, ...more, ...missing].join(', ')}`;
}

const shape: ListShape<Wire['sync']['nodes'][number]> = {
  columns: [
    { heading: 'node', cell: ({ nodeId }) => nodeId },
    { heading: 'gateway', cell: ({ gateway }) => gateway },
    { heading: 'state', cell: ({ state }) => state },
    {
      heading: 'applied',
      cell: ({ lastAckVersion }) => shortId(lastAckVersion),
      wideCell: ({ lastAckVersion }) => lastAckVersion ?? '',
    },
    {
      heading: 'message',
      cell: ({ state, message }) => (state === 'current-ready' ? '' : message),
      wideCell: ({ message }) => message,
    },
  ],
  nameOf: ({ nodeId }) => `node/${nodeId}`,
  empty: 'no data plane has connected yet',
};

export function syncText(
  { snapshotVersion, publishedFor, nodes }: Wire['sync'],
  options: Pick<ListOptions, 'output' | 'headers'>,
  io: Pick<CliIo, 'width'>,
): string {
  const rows = listText(nodes, shape, options, io);
  if (options.output === 'name') return rows;
  const head =
    snapshotVersion === null ? 'no snapshot yet' : `snapshot ${snapshotVersion}, published for ${publishedFor}`;
  return options.headers ? `${head}\n${rows}` : rows;
}
