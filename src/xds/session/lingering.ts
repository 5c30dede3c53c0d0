/** Where more linger, the oldest are due at once. */
const maxLingering = 64;

/** Names of what the client keeps for some time though it needs it no more: resources to remove, or chains to send with fewer slots. */
export class Lingering {
  /** By name, when they are due; undefined: the clock was not read since. */
  readonly #dueMs = new Map<string, number | undefined>();

  add(name: string): void {
    this.#dueMs.set(name, undefined);
  }

  names(): Iterable<string> {
    return this.#dueMs.keys();
  }

  has(name: string): boolean {
    return this.#dueMs.has(name);
  }

  delete(name: string): void {
    this.#dueMs.delete(name);
  }

  /**
   * Takes those out that have lingered for `lingerMs` since the clock was first read, and the oldest of too many. What is needed stays, and does not count
   * among these.
   */
  takeDue(nowMs: number, lingerMs: number, isNeeded = (_name: string) => false): readonly string[] {
    const free = new Set([...this.#dueMs.keys()].filter((name) => !isNeeded(name)));
    const surplus = free.size - maxLingering;
    const due: string[] = [];
    for (const [name, dueMs] of this.#dueMs) {
      const isDue = due.length < surplus || (dueMs ?? Number.POSITIVE_INFINITY) <= nowMs;
      if (isDue && free.has(name)) due.push(name);
      else if (dueMs === undefined) this.#dueMs.set(name, nowMs + lingerMs);
    }
    for (const name of due) this.#dueMs.delete(name);
    return due;
  }
}
