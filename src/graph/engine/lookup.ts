import type { EdgeIndexes } from './edge-indexes.ts';
import type { StoredObjects } from './stored-objects.ts';

/** What policies are found by. */
export interface Lookup {
  readonly store: StoredObjects;
  readonly edges: EdgeIndexes;
}
