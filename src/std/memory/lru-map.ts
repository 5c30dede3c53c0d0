/** A map of what was used last: no more than `limit` entries, nor fewer than half of it while there were more. */
export class LruMap<K, V> {
  readonly #half: number;
  #newer = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(limit: number) {
    this.#half = limit / 2;
  }

  get(key: K): V | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    if (this.#newer.size >= this.#half && !this.#newer.has(key)) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }
}
