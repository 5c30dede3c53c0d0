/** For so long a lease should last. */
const aheadMs = 200;

/** How much of a key is wanted, as it was lately. */
export class Demand {
  /** Tokens a millisecond. */
  #rate = 0;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;

  add(now: number, tokens: number): void {
    const elapsed = now - this.#since;
    if (elapsed >= aheadMs) {
      this.#rate = elapsed > 10 * aheadMs ? 0 : (this.#rate + this.#count / elapsed) / 2;
      this.#since = now;
      this.#count = 0;
    }
    this.#count += tokens;
  }

  /** How many tokens are likely to be wanted soon. */
  get ahead(): number {
    return Math.ceil(Math.max(this.#rate * aheadMs, this.#count));
  }
}
