/** How many may wait. */
export interface QueueLimits {
  readonly each: number;
  readonly all: number;
}

/** Work of several owners, who take turns: one with much to do keeps another waiting for one piece of it, and no more. */
export class FairQueue<T> {
  readonly #limits: QueueLimits;
  /** The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, T[]>();
  #size = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** `each`: its owner has too much waiting; `all`: too much is waiting. Neither was taken. */
  push(owner: string, item: T): 'taken' | keyof QueueLimits {
    const own = this.#waiting.get(owner) ?? [];
    if (own.length >= this.#limits.each) return 'each';
    if (this.#size >= this.#limits.all) return 'all';
    own.push(item);
    this.#waiting.set(owner, own);
    this.#size += 1;
    return 'taken';
  }

  shift(): T | undefined {
    const [next] = this.#waiting;
    if (!next) return undefined;
    const [owner, items] = next;
    const item = items.shift();
    this.#size -= 1;
    this.#waiting.delete(owner);
    if (items.length > 0) this.#waiting.set(owner, items);
    return item;
  }

  /** Does nothing when it is not there any more. */
  remove(owner: string, item: T): void {
    const own = this.#waiting.get(owner);
    const index = own?.indexOf(item) ?? -1;
    if (!own || index === -1) return;
    own.splice(index, 1);
    this.#size -= 1;
    if (own.length === 0) this.#waiting.delete(owner);
  }
}
