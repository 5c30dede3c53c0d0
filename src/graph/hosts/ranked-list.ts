import type * as ir from '../../ir/index.ts';
import { type Contribution, comparePlaced, type Placed, placedOf } from './contribution.ts';

/** Lists up to that length are never changed, but replaced: most hosts have one match, and no room for more should be kept for them. */
const short = 32;

/**
 * The matches that are tried on one host, in order. A host may have thousands, and few come or go at once: their places are looked for by
 * halves, and all others are moved but not looked at, as each would have to be fetched from somewhere else in memory.
 */
export class RankedList {
  #placed: Placed[] = [];
  /** Of each of `#placed`. */
  #routes: ir.Route[] = [];

  /** @returns the contribution's matches */
  insert(contribution: Contribution): readonly Placed[] {
    const additions = placedOf(contribution);
    for (const placed of additions) this.#splice(this.#placeOf(placed), 0, placed);
    return additions;
  }

  /** @returns the contribution's matches that were there */
  remove(contribution: Contribution): readonly Placed[] {
    return placedOf(contribution).flatMap((placed) => {
      const at = this.#placeOf(placed);
      const found = this.#placed[at];
      if (found?.contribution !== contribution) return [];
      this.#splice(at, 1);
      return [found];
    });
  }

  /** As they are now; what comes later leaves the list as it is. */
  routes(): readonly ir.Route[] {
    return this.#routes.length > short ? this.#routes.slice() : this.#routes;
  }

  #splice(at: number, remove: number, ...more: readonly Placed[]): void {
    const routes = more.map(({ ranked }) => ranked.route);
    if (this.#placed.length > short) {
      this.#placed.splice(at, remove, ...more);
      this.#routes.splice(at, remove, ...routes);
    } else {
      this.#placed = this.#placed.toSpliced(at, remove, ...more);
      this.#routes = this.#routes.toSpliced(at, remove, ...routes);
    }
  }

  /** Index of the first one that is not tried before it. */
  #placeOf(placed: Placed): number {
    let [low, high] = [0, this.#placed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePlaced(this.#placed[middle] as Placed, placed) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
