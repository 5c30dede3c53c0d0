import { type KindName, keyOf, type ObjectByKind } from '../gateway-api/index.ts';
import type { Graph } from '../graph/index.ts';
import type { ResourceEvent } from '../sources/index.ts';
import type { Reconciler } from './reconciler.ts';

/** The reconciler of a kind of which every object is taken as it is. */
export const storeKind = <K extends KindName>(kind: K, graph: Graph): Reconciler => ({
  reconcile: ({ type, object }: ResourceEvent) =>
    type === 'deleted' ? graph.remove(kind, keyOf(object)) : graph.upsert(kind, object as unknown as ObjectByKind[K]),
});
