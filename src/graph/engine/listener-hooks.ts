import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { ResolvedListenerSet, ResolvedPolicies } from '../model/index.ts';
import type { EdgeIndexes } from './edge-indexes.ts';
import type { Store } from './store.ts';

/** A Gateway with the ListenerSets that name it, and what its policies are found by. */
export interface ListenerOwners {
  readonly gateway: ObjectByKind['Gateway'];
  readonly sets: ReadonlyMap<string, ResolvedListenerSet>;
  readonly edges: EdgeIndexes;
  readonly store: Store;
}

/**
 * How policies of a kind act on listeners: the graph asks when it resolves a Gateway, and marks the statuses of the policies that it
 * speaks of. One kind does so: what several kinds would say of one listener is not merged.
 */
export interface ListenerSettings {
  readonly resolve: (owners: ListenerOwners) => ResolvedPolicies;
}
