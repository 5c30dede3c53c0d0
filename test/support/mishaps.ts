import type { Graph } from '../../src/graph/index.ts';

/** What a graph keeps to one object is an error of ours all the same. @throws the first */
export function throwMishap(graph: Pick<Graph, 'mishaps'>): void {
  for (const { kind, key, error } of graph.mishaps())
    throw new Error(`${kind} ${key}: ${(error as Error).message}`, { cause: error });
}
