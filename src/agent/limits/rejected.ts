/** What requests wanted that a lease rejected since the last answer of the control plane, because nothing is left. */
export class Rejected {
  /** All of them together. */
  tokens = 0;
  /** What has to be there for the cheapest one, also where it takes none; 0 without any. */
  least = 0;

  add(tokens: number): void {
    const needed = Math.max(1, tokens);
    this.tokens += tokens;
    this.least = this.least === 0 ? needed : Math.min(this.least, needed);
  }

  clear(): void {
    this.tokens = 0;
    this.least = 0;
  }
}
