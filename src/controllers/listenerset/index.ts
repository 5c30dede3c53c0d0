import { type KindModule, versionsOf } from '../../graph/engine/index.ts';
import { listenerSetEdges, markParent } from '../../graph/gateways/index.ts';

export const listenerSetModule: KindModule<'ListenerSet'> = {
  about: {
    category: 'gateway',
    description: 'Listeners that others add to a Gateway',
    writable: true,
    inTrials: 'all',
  },
  relevant: 'spec',
  edges: listenerSetEdges,
  marks(change, marking) {
    marking.dirty.listenerSetStatuses.add(change.key);
    for (const set of versionsOf(change)) markParent(set, marking);
  },
  status: { shape: 'stage' },
};
