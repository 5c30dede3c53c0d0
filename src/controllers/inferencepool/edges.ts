import {
  type Change,
  type Edge,
  type Marking,
  pairOfSelector,
  toSelectedPods,
  versionsOf,
} from '../../graph/engine/index.ts';
import { markRoutesTo } from '../../graph/routes/index.ts';
import { keyOfPool, keyOfServers, pickerServiceOf } from '../pools/index.ts';
import { selectsPod } from './content.ts';

/** What InferencePools refer to, all of it in their own namespace. */
export const poolEdges = {
  picker: {
    to: { Service: (key) => key },
    targets: (pool) => {
      const service = pickerServiceOf(pool);
      return service === undefined ? [] : [service];
    },
    marks(source, { dirty, store }) {
      const pool = store.find('InferencePool', source);
      dirty.markStatus('InferencePool', source);
      if (pool) dirty.backends.add(keyOfPool(pool));
    },
  },
  pod: {
    ...toSelectedPods,
    targets: ({ metadata, spec }) => [pairOfSelector(metadata.namespace ?? '', spec.selector.matchLabels ?? {})],
    marks(source, { dirty, store }, target) {
      const pool = store.find('InferencePool', source);
      if (pool && versionsOf(target as Change<'Pod'>).some((pod) => selectsPod(pool, pod)))
        dirty.backends.add(keyOfServers(pool));
    },
  },
} as const satisfies Record<string, Edge<'InferencePool'>>;

/** Routes are marked too: whether there is a picker decides where they lead. */
export function markPool(change: Change<'InferencePool'>, marking: Marking): void {
  const { dirty } = marking;
  dirty.markStatus('InferencePool', change.key);
  for (const pool of versionsOf(change)) {
    dirty.backends.add(keyOfPool(pool));
    dirty.backends.add(keyOfServers(pool));
  }
  markRoutesTo(change.key, marking);
}
