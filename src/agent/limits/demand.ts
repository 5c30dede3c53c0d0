/** For so long a lease should last. */
const aheadMs = 200;

/** Where plenty is left it lasts so many times as long: each question to the control plane takes as much CPU as those of many requests. */
const longer = 5;

/** Plenty is as much as all proxies together would take in so many of the longer leases. */
const plenty = 10;

/** Of a key that is wanted about once a second, the next token is taken ahead: it is used before it would go back. */
const leastExpected = 0.2;

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

  /** How many tokens are likely to be wanted soon; 0 where nothing says that there will be another request. */
  get ahead(): number {
    const expected = this.#rate * aheadMs;
    return this.#count < 2 && expected < leastExpected ? 0 : Math.ceil(Math.max(expected, this.#count));
  }

  /** The same while so many are left to all proxies. */
  aheadOf(left: number, proxies: number): number {
    const { ahead } = this;
    return left >= plenty * longer * ahead * proxies ? longer * ahead : ahead;
  }
}
