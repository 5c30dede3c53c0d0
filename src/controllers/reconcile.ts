import { type KindName, keyOf, type ObjectByKind } from '../gateway-api/index.ts';
import type { Graph } from '../graph/index.ts';
import type { ResourceEvent } from '../sources/index.ts';

/** Takes one event into the graph, by the module of its kind, and does nothing else. Whether something has to be built because of it. */
export function reconcile<K extends KindName>(graph: Graph, kind: K, { type, object }: ResourceEvent): boolean {
  return type === 'deleted'
    ? graph.remove(kind, keyOf(object))
    : graph.upsert(kind, object as unknown as ObjectByKind[K]);
}
