import type { CountedUse } from '../model/index.ts';

/** Sums up uses before any of them counts, so that a backend that only moves between routes is neither removed nor added. */
export class UseSums {
  readonly #sums = new Map<string, CountedUse>();

  add({ by, ...use }: CountedUse): void {
    const place = `${use.fleet} ${use.gateway} ${use.backend}`;
    this.#sums.set(place, { ...use, by: (this.#sums.get(place)?.by ?? 0) + by });
  }

  /**
   * What differs, each once. More before less: what moves from one Gateway of the same proxies to another is neither removed
   * nor added.
   */
  *take(): Generator<CountedUse> {
    for (const [place, use] of [...this.#sums].sort(([, a], [, b]) => b.by - a.by)) {
      this.#sums.delete(place);
      if (use.by !== 0) yield use;
    }
  }
}
