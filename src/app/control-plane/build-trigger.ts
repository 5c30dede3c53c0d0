import type { Builder, Graph } from '../../graph/index.ts';

/**
 * Asks for a build. It exists before all that may ask, and so before the builder: what a build publishes to can itself ask for
 * the next one.
 */
export class BuildTrigger {
  readonly #graph: Pick<Graph, 'isDirty'>;
  #builder: Pick<Builder, 'mayHaveChanged' | 'taken'> | undefined;

  constructor(graph: Pick<Graph, 'isDirty'>) {
    this.#graph = graph;
  }

  fire(): void {
    this.#builder?.mayHaveChanged();
  }

  /** Fires if the graph has something to build. */
  fireIfDirty(): void {
    if (this.#graph.isDirty) this.fire();
  }

  /** Proxies have taken all that was published. */
  taken(): void {
    this.#builder?.taken();
  }

  asks(builder: Pick<Builder, 'mayHaveChanged' | 'taken'>): void {
    this.#builder = builder;
  }
}
