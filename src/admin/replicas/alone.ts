import type { AdminSources } from '../sources.ts';

/** There is but this control plane, and none follows it. */
export const alone = ({ graph, nodes, leadership }: Pick<AdminSources, 'graph' | 'nodes' | 'leadership'>) => ({
  list: () => [
    {
      identity: leadership().identity,
      address: null,
      state: 'self' as const,
      snapshotVersion: graph.snapshot()?.id ?? null,
      nodeCount: nodes.list().length,
      lastHeardAt: null,
    },
  ],
  gone: () => new Map(),
  warnings: () => [],
  ask: () => Promise.reject(new Error('there is no other control plane')),
  read() {
    throw new Error('there is no other control plane');
  },
  feed: { open: () => undefined },
});
