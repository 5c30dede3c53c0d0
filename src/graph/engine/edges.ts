import { type KindName, namespaceOfKey, type ObjectByKind } from '../../gateway-api/index.ts';
import type { AnyEdge, Change, Marking } from './edge.ts';
import type { EdgeIndexes, IndexedEdge } from './edge-indexes.ts';
import type { AnyKindModule, KindModules } from './kind-module.ts';
import { ReverseIndex } from './reverse-index.ts';

/** An edge as it starts at one kind. */
interface Outgoing {
  readonly edge: AnyEdge;
  readonly index: ReverseIndex;
  /** By the namespaces whose ReferenceGrants decide. */
  readonly grants: ReverseIndex | undefined;
}

/** An edge as it arrives at one kind. */
interface Incoming {
  readonly index: ReverseIndex;
  readonly found: (change: Change) => readonly string[];
  readonly marks: Exclude<AnyEdge['marks'], 'nothing'>;
}

/** Who refers to whom, by the edges that the kinds declare. One index for each edge, whatever number of kinds share it. */
export class Edges implements EdgeIndexes {
  readonly #modules: Readonly<Record<KindName, AnyKindModule>>;
  readonly #indexes = new Map<IndexedEdge<never>, ReverseIndex>();
  readonly #outgoing = new Map<KindName, readonly Outgoing[]>();
  readonly #incoming = new Map<KindName, Incoming[]>();

  constructor(kinds: Partial<KindModules>) {
    this.#modules = kinds as Readonly<Record<KindName, AnyKindModule>>;
    const known = new Map<AnyEdge, Outgoing>();
    for (const [kind, { edges }] of Object.entries(this.#modules) as [KindName, AnyKindModule][]) {
      const outgoing = Object.values(edges).map((edge) => known.get(edge) ?? this.#add(edge));
      for (const each of outgoing) known.set(each.edge, each);
      this.#outgoing.set(kind, outgoing);
    }
  }

  of(edge: IndexedEdge<never>): ReverseIndex {
    const index = this.#indexes.get(edge);
    if (!index) throw new Error('an edge is asked for that no kind declares');
    return index;
  }

  /** What an object refers to from now on; nothing, once it is gone. */
  set<K extends KindName>(kind: K, key: string, object: ObjectByKind[K] | undefined): void {
    const outgoing = this.#outgoing.get(kind) ?? [];
    if (outgoing.length === 0) return;
    const source = this.#modules[kind].sourceKey?.(key) ?? key;
    for (const { edge, index, grants } of outgoing) {
      const targets = object ? distinct(edge.targets(object as never, key)) : [];
      index.set(source, targets);
      grants?.set(source, foreignNamespaces(targets, object?.metadata.namespace ?? ''));
    }
  }

  /** All that refer to an object by edges of a name. */
  users(name: string, to: KindName, key: string): { readonly kind: KindName; readonly key: string }[] {
    return (Object.entries(this.#modules) as [KindName, AnyKindModule][]).flatMap(([kind, { edges }]) => {
      const edge = edges[name];
      const indexKey = edge?.to[to];
      return edge && indexKey
        ? [...this.of(edge).sourcesOf(indexKey(key))].map((source) => ({ kind, key: source }))
        : [];
    });
  }

  /** Marks what the change of an object means for those that refer to it. */
  mark(change: Change, marking: Marking): void {
    for (const { index, found, marks } of this.#incoming.get(change.kind) ?? [])
      for (const target of found(change)) for (const source of index.sourcesOf(target)) marks(source, marking, change);
  }

  #add(edge: AnyEdge): Outgoing {
    const index = new ReverseIndex();
    this.#indexes.set(edge, index);
    const grants = edge.grants && new ReverseIndex();
    const { marks } = edge;
    if (marks !== 'nothing') {
      for (const [kind, indexKey] of Object.entries(edge.to))
        this.#arrive(kind as KindName, { index, found: edge.found ?? (({ key }) => [indexKey(key)]), marks });
      if (grants) this.#arrive('ReferenceGrant', { index: grants, found: ({ key }) => [namespaceOfKey(key)], marks });
    }
    return { edge, index, grants };
  }

  #arrive(kind: KindName, incoming: Incoming): void {
    this.#incoming.set(kind, [...(this.#incoming.get(kind) ?? []), incoming]);
  }
}

const distinct = (keys: readonly string[]): readonly string[] => (keys.length < 2 ? keys : [...new Set(keys)]);

const foreignNamespaces = (targets: readonly string[], own: string): readonly string[] =>
  distinct(targets.map(namespaceOfKey).filter((namespace) => namespace !== own && namespace !== ''));
