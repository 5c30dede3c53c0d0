import { randomBytes } from 'node:crypto';
import { type LimitGrant, type LimitTake, parseSharedBucket, type SharedWindow } from '../contracts/index.ts';
import type { Steps } from '../std/steps/index.ts';
import { TokenBucket } from '../std/tokens/index.ts';

export interface BucketOwnerOptions {
  /** Milliseconds of a clock that only moves on. */
  readonly now: () => number;
  /** How many keys of one Gateway are kept; 100,000 by default. */
  readonly maxKeys?: number;
}

interface Owned {
  readonly bucket: TokenBucket;
  /** Names this bucket and no other, here or elsewhere, now or later. */
  readonly owner: string;
  /** See paceMsOf. */
  readonly paceMs: number;
}

const defaultMaxKeys = 100_000;
/** Those who want more than there is are asked to come again after so long: tokens are not lost meanwhile, and calls are few. */
const longestPaceMs = 50;

/** How long it may take to fill half of a bucket, at most: no agent asks more often, however many requests it has. */
export const paceMsOf = (windows: readonly SharedWindow[]): number =>
  Math.min(longestPaceMs, ...windows.map(({ requests, perMs, burst }) => (burst * perMs) / requests / 2));

/**
 * Buckets that are kept here for proxies of all replicas. What is granted is taken at once, so that all together never get more than the limit; a
 * bucket of which nothing is known is full, unless an agent knows better.
 */
export class BucketOwner {
  readonly #options: BucketOwnerOptions;
  /** By Gateway, then by bucket and key, the one that was used last the longest ago first. */
  readonly #gateways = new Map<string, Map<string, Owned>>();
  readonly #boot = randomBytes(9).toString('base64url');
  #made = 0;

  constructor(options: BucketOwnerOptions) {
    this.#options = options;
  }

  /** How many keys are kept. */
  get size(): number {
    return [...this.#gateways.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Undefined for a bucket that is none. */
  take(
    cluster: string,
    { bucket: name, key, wanted, least = 1, used = 0, back, owner, debts }: LimitTake,
  ): LimitGrant | undefined {
    const now = this.#options.now();
    const owned = this.#find(cluster, name, key);
    if (!owned) return undefined;
    const { bucket, paceMs } = owned;
    // What it knows is of another owner, or of this one before it forgot.
    if (owner === owned.owner) bucket.giveBack(back);
    else bucket.owe(now, debts);
    if (used > 0) bucket.take(now, used);
    const left = bucket.left(now);
    // Others may want some at the same time.
    const granted = left < least ? 0 : Math.min(wanted, left, Math.max(least, Math.floor(left / 2)));
    bucket.take(now, granted);
    const waitMs = granted < wanted ? Math.max(bucket.waitMs(now, 1), paceMs) : 0;
    return {
      granted,
      // JSON has no infinity; a bucket holds at least one.
      waitMs: Math.min(waitMs, Number.MAX_SAFE_INTEGER),
      owner: owned.owner,
      debts: bucket.debts(now),
    };
  }

  /** Forgets buckets that are full again. */
  *sweeping(): Steps<void> {
    const now = this.#options.now();
    for (const [cluster, keys] of this.#gateways) {
      for (const [name, { bucket }] of keys) {
        if (bucket.isFull(now)) keys.delete(name);
        yield;
      }
      if (keys.size === 0) this.#gateways.delete(cluster);
    }
  }

  #find(cluster: string, name: string, key: string): Owned | undefined {
    const keys = this.#gateways.get(cluster) ?? new Map<string, Owned>();
    const place = `${name} ${key}`;
    const owned = keys.get(place) ?? this.#make(name);
    if (!owned) return undefined;
    this.#gateways.set(cluster, keys);
    keys.delete(place);
    keys.set(place, owned);
    if (keys.size > (this.#options.maxKeys ?? defaultMaxKeys)) this.#dropOldest(keys);
    return owned;
  }

  #make(name: string): Owned | undefined {
    const windows = parseSharedBucket(name)?.windows;
    if (!windows) return undefined;
    this.#made += 1;
    return { bucket: new TokenBucket(windows), owner: `${this.#boot}.${this.#made}`, paceMs: paceMsOf(windows) };
  }

  #dropOldest(keys: Map<string, Owned>): void {
    const [oldest] = keys.keys();
    if (oldest !== undefined) keys.delete(oldest);
  }
}
