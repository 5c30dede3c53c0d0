import type { ObjectKey } from '../../gateway-api/index.ts';

/** Which Ingresses were made with which objects, by `KIND KEY`, and what these were like then. */
export class ReadIndex {
  readonly #readers = new Map<string, Set<ObjectKey>>();
  readonly #reads = new Map<ObjectKey, readonly string[]>();
  readonly #seen = new Map<string, string>();

  /** `look`: what an object is like. */
  set(ingress: ObjectKey, reads: readonly string[], look: (id: string) => string): void {
    this.remove(ingress);
    if (reads.length === 0) return;
    this.#reads.set(ingress, reads);
    for (const id of reads) {
      const readers = this.#readers.get(id);
      if (readers) readers.add(ingress);
      else this.#readers.set(id, new Set([ingress]));
      if (!this.#seen.has(id)) this.#seen.set(id, look(id));
    }
  }

  remove(ingress: ObjectKey): void {
    for (const id of this.#reads.get(ingress) ?? []) {
      const readers = this.#readers.get(id);
      readers?.delete(ingress);
      if (readers?.size !== 0) continue;
      this.#readers.delete(id);
      this.#seen.delete(id);
    }
    this.#reads.delete(ingress);
  }

  /** Those that were made with the object, if it is no longer as it was. */
  changed(id: string, look: (id: string) => string): Iterable<ObjectKey> {
    const readers = this.#readers.get(id);
    if (readers === undefined) return [];
    const now = look(id);
    if (this.#seen.get(id) === now) return [];
    this.#seen.set(id, now);
    return readers;
  }
}
