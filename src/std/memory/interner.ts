import { LruMap } from './lru-map.ts';

/** What is longer, in characters of JSON, is hardly ever equal to another, and thousands of them would be more than they save. */
const longest = 1024;

/**
 * Makes one of equal JSON values, as far as they were seen not long ago: thousands of routes have the same parents, matches and
 * conditions, and each would be kept as often as it was read. Callers must not change the result.
 */
export class Interner {
  readonly #known: LruMap<string, object>;

  /** `limit`: how many are remembered at most. */
  constructor(limit: number) {
    this.#known = new LruMap(limit);
  }

  /** The part, or one that is equal to it. Long ones are what they are. */
  of<T extends object>(part: T): T {
    const text = JSON.stringify(part);
    if (text.length > longest) return part;
    const known = this.#known.get(text);
    if (known === undefined) this.#known.set(text, part);
    return (known as T | undefined) ?? part;
  }
}
