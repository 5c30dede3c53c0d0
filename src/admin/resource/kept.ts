import { type KindName, kinds } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';

/** What something is made of: equal text of all but the graph, and the graph's content. */
export interface Origin {
  readonly text: string;
  readonly revision: number;
  readonly snapshot: ReturnType<GraphView['snapshot']>;
}

const everyKind = Object.keys(kinds) as KindName[];

/** `text`: all that counts beside the graph. */
export const originOf = (graph: GraphView, text = ''): Origin => ({
  text,
  revision: graph.revisionOf(...everyKind),
  snapshot: graph.snapshot(),
});

// Each build has a snapshot of its own.
const isSame = (a: Origin, b: Origin): boolean =>
  a.text === b.text && a.revision === b.revision && a.snapshot === b.snapshot;

interface Made<T> {
  readonly origin: Origin;
  readonly value: Promise<T>;
}

/** Some megabytes of a large world are let go when there was no question for so long, in milliseconds. */
const keptMs = 60_000;

/** What costs as much as the world is large, as it was made last, while nothing of that has changed and questions come. One is made at a time. */
export class Kept<T> {
  #made: Made<T> | undefined;
  #begun = 0;
  #making: Promise<unknown> | undefined;
  #letGo: NodeJS.Timeout | undefined;

  /**
   * What there is now, or there was when one was begun after the call: so many may ask while everything changes. `make` is given what was made before,
   * if that is still there.
   */
  async get(now: () => Origin, make: (former: T | undefined) => Promise<T>): Promise<T> {
    const before = this.#begun;
    for (;;) {
      const [made, origin] = [this.#made, now()];
      if (made !== undefined && (this.#begun > before || isSame(made.origin, origin))) return this.#use(made);
      if (this.#making === undefined) return this.#use(this.#make(origin, make));
      await this.#making;
    }
  }

  #make(origin: Origin, make: (former: T | undefined) => Promise<T>): Made<T> {
    const former = this.#made?.value;
    const made = { origin, value: Promise.resolve(former).then(make) };
    this.#made = made;
    this.#begun += 1;
    this.#making = made.value
      .catch(() => {
        if (this.#made === made) this.#made = undefined;
      })
      .finally(() => {
        this.#making = undefined;
      });
    return made;
  }

  #use({ value }: Made<T>): Promise<T> {
    clearTimeout(this.#letGo);
    this.#letGo = setTimeout(() => {
      this.#made = undefined;
    }, keptMs).unref();
    return value;
  }
}

/** One of each graph. */
export class KeptByGraph<T> {
  readonly #kept = new WeakMap<GraphView, Kept<T>>();

  of(graph: GraphView): Kept<T> {
    const known = this.#kept.get(graph) ?? new Kept<T>();
    this.#kept.set(graph, known);
    return known;
  }
}
