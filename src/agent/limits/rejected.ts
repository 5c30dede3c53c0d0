/** What requests wanted that a lease rejected since the last answer of the control plane, because nothing is left. */
export class Rejected {
  /** All of them together. */
  tokens = 0;
  /** What has to be there for the cheapest one, also where it takes none; 0 without any. */
  least = 0;
  /** By the last answer. */
  #granted = 0;
  /** What it left of those that were rejected before it. */
  #before = 0;

  add(tokens: number): void {
    const needed = Math.max(1, tokens);
    this.tokens += tokens;
    this.least = this.least === 0 ? needed : Math.min(this.least, needed);
  }

  /**
   * Whether they, and those before them, want more than the next answer will grant: then one has to be rejected, and the next request need not wait to hear that. What the answer grants is
   * for those behind it. `left`: no more can be there.
   */
  exceed(left: number, needed: number): boolean {
    return this.tokens + this.#before >= Math.min(left, this.#granted) + needed;
  }

  /** There is an answer. */
  clear(granted: number): void {
    this.#before = Math.max(0, this.tokens - granted);
    this.tokens = 0;
    this.least = 0;
    this.#granted = granted;
  }
}
