import type { KindName, ObjectByKind } from '../../gateway-api/index.ts';
import type { ReverseIndex } from './reverse-index.ts';

/**
 * How objects of a kind refer to others. It is read from the spec alone: whether a reference resolves or not, a change of its target must
 * find who refers. Several kinds may share one edge, and then share its index.
 */
export interface IndexedEdge<K extends KindName> {
  /** The kinds that it leads to, each with how one of its keys is written in the index. */
  readonly to: { readonly [Target in KindName]?: (key: string) => string };
  /** What one object refers to, as `to` writes it; repetition does no harm. */
  readonly targets: (object: ObjectByKind[K], key: string) => readonly string[];
  /** ReferenceGrants decide where targets, which are `NAMESPACE/NAME` then, are in another namespace: a changed grant marks like a target. */
  readonly grants?: true;
}

/** Who refers to whom. */
export interface EdgeIndexes {
  /** The index of an edge: by target, the keys of the sources. Throws for an edge that no kind declares. */
  of(edge: IndexedEdge<never>): ReverseIndex;
}
