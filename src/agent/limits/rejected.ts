/** What requests needed that a lease rejected since the last answer of the control plane, because nothing is left. */
export class Rejected {
  /** All of them together. */
  tokens = 0;
  /** The cheapest one; 0 without any. */
  least = 0;

  add(needed: number): void {
    this.tokens += needed;
    this.least = this.least === 0 ? needed : Math.min(this.least, needed);
  }

  clear(): void {
    this.tokens = 0;
    this.least = 0;
  }
}
