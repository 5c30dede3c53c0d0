/**
 * Keys in the order in which they came, each once. The first of a Set is found by a walk over all that was removed before it, which in a
 * line of 100,000 would be most of the work. A reader that stays where it is does not walk.
 */
export class Line {
  readonly #keys = new Set<string>();
  #reader: Iterator<string> | undefined;

  add(key: string): void {
    this.#keys.add(key);
  }

  /** The first one, which leaves the line. */
  take(): string | undefined {
    this.#reader ??= this.#keys.values();
    const { value, done } = this.#reader.next();
    // One that has come to the end stays there, whatever comes later.
    if (done || this.#keys.size === 1) this.#reader = undefined;
    if (done) return undefined;
    this.#keys.delete(value);
    return value;
  }

  clear(): void {
    this.#keys.clear();
    this.#reader = undefined;
  }
}
