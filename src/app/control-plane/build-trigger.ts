import type { Graph } from '../../graph/index.ts';

/**
 * Asks for a build. It exists before all that may ask, and so before the builder: what a build publishes to can itself ask for
 * the next one.
 */
export class BuildTrigger {
  readonly #graph: Pick<Graph, 'isDirty'>;
  readonly #listeners = new Set<() => void>();

  constructor(graph: Pick<Graph, 'isDirty'>) {
    this.#graph = graph;
  }

  fire(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Fires if the graph has something to build. */
  fireIfDirty(): void {
    if (this.#graph.isDirty) this.fire();
  }

  follow(listener: () => void): void {
    this.#listeners.add(listener);
  }
}
