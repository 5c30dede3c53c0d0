import type { Lookup } from './lookup.ts';
import type { Store } from './store.ts';

/** What policies are found by, and what their references are followed in. */
export interface ReferenceLookup extends Lookup {
  readonly store: Store;
}
