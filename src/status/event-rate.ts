import type { Clock } from '../std/queue/index.ts';

interface Bucket {
  tokens: number;
  at: number;
}

interface Limit {
  readonly burst: number;
  readonly refillMs: number;
}

/** As client-go: an object that changes all the time has 25 Events at once, and then one in five minutes. */
const ofObject: Limit = { burst: 25, refillMs: 300_000 };
const ofAll: Limit = { burst: 100, refillMs: 200 };
const mostObjects = 1000;

/** How many Events may be written: for each object, and for all. */
export class EventRate {
  readonly #clock: Clock;
  readonly #objects = new Map<string, Bucket>();
  readonly #all: Bucket;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#all = { tokens: ofAll.burst, at: clock.now() };
  }

  /** Whether there may be one more. */
  take(object: string): boolean {
    const bucket = this.#objects.get(object) ?? { tokens: ofObject.burst, at: this.#clock.now() };
    this.#objects.delete(object);
    this.#objects.set(object, bucket);
    const [oldest] = this.#objects.keys();
    if (this.#objects.size > mostObjects && oldest !== undefined) this.#objects.delete(oldest);
    this.#refill(bucket, ofObject);
    this.#refill(this.#all, ofAll);
    if (bucket.tokens < 1 || this.#all.tokens < 1) return false;
    bucket.tokens -= 1;
    this.#all.tokens -= 1;
    return true;
  }

  #refill(bucket: Bucket, { burst, refillMs }: Limit): void {
    const now = this.#clock.now();
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs);
    bucket.at = now;
  }
}
