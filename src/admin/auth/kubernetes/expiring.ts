/** Values by key for a while each, and no more than so many of them: the one kept first goes first. */
export class Expiring<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly untilMs: number }>();
  readonly #max: number;
  readonly #nowMs: () => number;

  constructor(max: number, nowMs: () => number) {
    this.#max = max;
    this.#nowMs = nowMs;
  }

  find(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (this.#nowMs() < entry.untilMs) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  keep(key: string, value: T, forMs: number): void {
    this.#entries.delete(key);
    const [first] = this.#entries.keys();
    if (this.#entries.size >= this.#max && first !== undefined) this.#entries.delete(first);
    this.#entries.set(key, { value, untilMs: this.#nowMs() + forMs });
  }

  get size(): number {
    return this.#entries.size;
  }
}
