import type { ObjectKey } from '../../gateway-api/index.ts';

/** Ingresses that are made again in one step. */
export type Unit = Set<ObjectKey>;

/** What is to be made again. What belongs to one unit is made in one step, since a build may follow each. */
export class Units {
  readonly #unitOf = new Map<ObjectKey, Unit>();

  get size(): number {
    return this.#unitOf.size;
  }

  /** All units, with those that come meanwhile. */
  all(): Iterable<Unit> {
    return this.#unitOf.values();
  }

  /** Puts an Ingress into the unit, with all others of the one that it is in. */
  add(key: ObjectKey, unit: Unit): void {
    const known = this.#unitOf.get(key);
    if (known === unit) return;
    for (const each of known ?? [key]) {
      unit.add(each);
      this.#unitOf.set(each, unit);
    }
    known?.clear();
  }

  /** It is made. */
  delete(key: ObjectKey): void {
    this.#unitOf.get(key)?.delete(key);
    this.#unitOf.delete(key);
  }
}
