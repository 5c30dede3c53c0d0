import type { AdminSources } from '../sources.ts';

type Graph = AdminSources['graph'];

/** Graphs of which a copy is in use: a copy of everything is held meanwhile, and one is enough. */
const copied = new WeakSet<Graph>();

/** Does what takes a copy of the graph, one at a time; undefined: another copy is in use. */
export async function onlyCopy<T>(graph: Graph, work: () => Promise<T>): Promise<T | undefined> {
  if (copied.has(graph)) return undefined;
  copied.add(graph);
  try {
    return await work();
  } finally {
    copied.delete(graph);
  }
}
