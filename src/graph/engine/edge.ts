import type { KindName, ObjectByKind } from '../../gateway-api/index.ts';
import type { Dirty } from './dirty.ts';
import type { EdgeIndexes, IndexedEdge } from './edge-indexes.ts';
import type { Store } from './store.ts';

/** One object that came, changed or went. At least one version is there. */
export interface Change<K extends KindName = KindName> {
  readonly kind: K;
  /** As keyOf makes it. */
  readonly key: string;
  readonly before: ObjectByKind[K] | undefined;
  readonly after: ObjectByKind[K] | undefined;
}

/** The versions of a changed object that are there: before, then after. */
export const versionsOf = <K extends KindName>({ before, after }: Change<K>): ObjectByKind[K][] =>
  [before, after].filter((version) => version !== undefined);

/** What marks are made in, and what they are found by. Store and edges know the change already. */
export interface Marking {
  readonly dirty: Dirty;
  readonly store: Store;
  readonly edges: EdgeIndexes;
}

/** A way in which objects of a kind refer to others, declared by the kind that refers, and what a change of a target means. */
export interface Edge<K extends KindName> extends IndexedEdge<K> {
  /** What a change of a target means for one that refers to it. `source`: KindModule.sourceKey of that one. */
  readonly marks: 'nothing' | ((source: string, marking: Marking, target: Change) => void);
  /** What a changed target is written as in the index, where sources name what it holds; else its key as `to` has it. */
  readonly found?: (target: Change) => readonly string[];
}

/** An edge of whichever kind. */
export type AnyEdge = Edge<never>;
