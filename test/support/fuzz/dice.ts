/** Random numbers that are the same for the same seed, on every machine (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0, below this one. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True in this share of the cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of them; throws for an empty list. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to choose from');
    return list[this.below(list.length)] as T;
  }

  /** All of them in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const ranked = list.map((item) => ({ item, rank: this.next() }));
    return ranked.sort((one, other) => one.rank - other.rank).map(({ item }) => item);
  }

  /** A seed for dice of their own, so that what they decide does not shift what these do. */
  seed(): number {
    return this.below(2 ** 32);
  }
}
