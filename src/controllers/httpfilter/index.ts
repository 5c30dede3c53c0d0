import type { Change, Edge, KindModule, Marking } from '../../graph/engine/index.ts';
import { configMapsOf } from '../../graph/filters/index.ts';
import { markRoutesOfFilter } from '../../graph/routes/index.ts';
import { httpFilterConditions } from './status.ts';

const kind = 'HTTPFilter';

/** The filter itself, and the routes that name it. */
function markFilter(key: string, marking: Marking): void {
  marking.dirty.markStatus(kind, key);
  markRoutesOfFilter(key, marking);
}

const edges = {
  configMap: { to: { ConfigMap: (key) => key }, targets: configMapsOf, marks: markFilter },
} as const satisfies Record<string, Edge<typeof kind>>;

export const httpFilterModule: KindModule<typeof kind> = {
  about: {
    category: 'policy',
    description: 'A filter of rules by ExtensionRef: answers, headers, and rewrites of path and host',
    writable: true,
    inTrials: 'named',
  },
  relevant: 'spec',
  edges,
  marks: ({ key }: Change<typeof kind>, marking) => markFilter(key, marking),
  status: {
    shape: 'conditions',
    of: (filter, _key, context) => ({ conditions: httpFilterConditions(filter, context) }),
  },
};
