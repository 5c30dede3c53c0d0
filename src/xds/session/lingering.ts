/** Where more linger, the oldest are due at once. */
const maxLingering = 64;

/** Names of what the client keeps for some time though it needs it no more: resources to remove, or chains to send with fewer slots. */
export class Lingering {
  /** By name, when they are due; undefined: the clock was not read since. */
  readonly #dueMs = new Map<string, number | undefined>();

  add(name: string): void {
    this.#dueMs.set(name, undefined);
  }

  has(name: string): boolean {
    return this.#dueMs.has(name);
  }

  delete(name: string): void {
    this.#dueMs.delete(name);
  }

  /** Takes those out that have lingered for `lingerMs` since the clock was first read, and the oldest of too many. */
  takeDue(nowMs: number, lingerMs: number): readonly string[] {
    const surplus = this.#dueMs.size - maxLingering;
    const due: string[] = [];
    for (const [name, dueMs] of this.#dueMs) {
      if (due.length < surplus || (dueMs ?? Number.POSITIVE_INFINITY) <= nowMs) due.push(name);
      else if (dueMs === undefined) this.#dueMs.set(name, nowMs + lingerMs);
    }
    for (const name of due) this.#dueMs.delete(name);
    return due;
  }
}
