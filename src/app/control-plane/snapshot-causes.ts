import type { ResourceEvent } from '../../sources/index.ts';

/** An object that changed. */
interface ChangedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What led to a snapshot: the first of the objects that changed, and how many they are. */
export interface Causes {
  readonly changed: readonly ChangedObject[];
  readonly changedCount: number;
}

/** The same with when the first of them came, in milliseconds of the process's clock; undefined: no object changed. */
export interface Led extends Causes {
  readonly since: number | undefined;
}

const mostNamed = 20;

/** Gathers what changes between two builds. */
export class SnapshotCauses {
  readonly #seen = new Set<string>();
  #first: ChangedObject[] = [];
  #since: number | undefined;

  /** Takes an event that matters to the graph. */
  add({ kind, object: { metadata } }: Pick<ResourceEvent, 'kind' | 'object'>): void {
    const { namespace = '', name } = metadata;
    const id = `${kind.name} ${namespace}/${name}`;
    this.#since ??= performance.now();
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    if (this.#first.length < mostNamed) this.#first.push({ kind: kind.name, namespace, name });
  }

  /** What changed since the last time. */
  take(): Led {
    const causes = { changed: this.#first, changedCount: this.#seen.size, since: this.#since };
    this.#first = [];
    this.#since = undefined;
    this.#seen.clear();
    return causes;
  }
}
