import type { ConcurrentBucket, ConcurrentBuckets, ConcurrentKey } from '../../contracts/index.ts';
import { networkBits } from '../../std/index.ts';

/** By name in lower case, each of a request's values. */
export type RequestHeaders = ReadonlyMap<string, string>;

/** What a request holds until it ends. */
export interface Held {
  /** The bucket that is full, of a request that is rejected. */
  readonly full?: ConcurrentBucket;
  /** Full ones on trial. */
  readonly shadowed: readonly string[];
  /** Gives back what it took; once. */
  readonly release: () => void;
}

/** How many requests are under way at this proxy, by bucket and key: of none there is nothing to remember. */
export class UnderWay {
  readonly #counts = new Map<string, number>();

  /** How many keys have requests under way. */
  get size(): number {
    return this.#counts.size;
  }

  /** Buckets are taken one after the other; the first full one rejects the request, which then holds nothing. */
  take(
    { target, buckets }: ConcurrentBuckets,
    headers: RequestHeaders,
    said: (bucket: ConcurrentBucket, isFull: boolean) => void,
  ): Held {
    const taken: string[] = [];
    const shadowed: string[] = [];
    const release = (): void => {
      for (const name of taken.splice(0)) this.#add(name, -1);
    };
    for (const bucket of buckets) {
      const values = bucket.key.map((part) => partOf(part, headers));
      if (bucket.exempt && values.includes(undefined)) continue;
      const name = JSON.stringify([target, bucket.id, ...values]);
      const isFull = (this.#counts.get(name) ?? 0) >= bucket.most;
      said(bucket, isFull);
      if (isFull && !bucket.shadow) {
        release();
        return { full: bucket, shadowed, release };
      }
      if (isFull) shadowed.push(bucket.id);
      taken.push(name);
      this.#add(name, 1);
    }
    return { shadowed, release };
  }

  #add(name: string, by: 1 | -1): void {
    const count = (this.#counts.get(name) ?? 0) + by;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

function partOf({ header, v4Prefix, v6Prefix }: ConcurrentKey, headers: RequestHeaders): string | undefined {
  const value = headers.get(header);
  if (value === undefined || v4Prefix === undefined || v6Prefix === undefined) return value;
  return networkBits({ address: value, prefixLength: value.includes(':') ? v6Prefix : v4Prefix });
}
