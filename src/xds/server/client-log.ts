import { hostOf } from '../host-of.ts';
import type { XdsLogger } from './xds-logger.ts';

export interface ClientLogOptions {
  readonly logger: XdsLogger;
  /** Lines of one kind from one host that are written at once. */
  readonly burst?: number;
  /** Then one for each so many milliseconds. */
  readonly everyMs?: number;
  /** How often what was held back is counted, in milliseconds. */
  readonly reportMs?: number;
}

interface Bucket {
  readonly host: string;
  readonly level: Level;
  readonly message: string;
  tokens: number;
  filledAtMs: number;
  held: number;
  reportedAtMs: number;
}

type Level = 'info' | 'warn' | 'error';

/** The most pairs of host and kind that are kept apart; those beyond share one of each kind. */
const maxBuckets = 256;
const elsewhere = 'other hosts';

/**
 * The lines that clients can cause, which must not fill a disk: by host and kind (`message`) a burst, then a steady few.
 * What was held back is on the next line that is written (`held_back`), or on a line of its own in the end.
 */
export class ClientLog {
  readonly #logger: XdsLogger;
  readonly #burst: number;
  readonly #everyMs: number;
  readonly #reportMs: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor({ logger, burst = 60, everyMs = 2_000, reportMs = 60_000 }: ClientLogOptions) {
    this.#logger = logger;
    this.#burst = burst;
    this.#everyMs = everyMs;
    this.#reportMs = reportMs;
  }

  /** Whether a line was written. `peer` is `HOST:PORT`; `facts` are made for a line that is. */
  write(level: Level, peer: string, facts: () => object, message: string, nowMs = performance.now()): boolean {
    const bucket = this.#bucket(level, hostOf(peer), message, nowMs);
    const filled = bucket.tokens + (nowMs - bucket.filledAtMs) / this.#everyMs;
    bucket.tokens = Math.min(this.#burst, filled);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < 1) {
      bucket.held += 1;
      return false;
    }
    bucket.tokens -= 1;
    this.#logger[level]({ ...facts(), ...takeHeld(bucket, nowMs) }, message);
    return true;
  }

  /** Looks at the clock: says what was held back and forgets hosts that are quiet. */
  tick(nowMs: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (bucket.held > 0 && nowMs - bucket.reportedAtMs >= this.#reportMs) this.#report(bucket, nowMs);
      if (bucket.held === 0 && nowMs - bucket.filledAtMs >= this.#burst * this.#everyMs) this.#buckets.delete(key);
    }
  }

  #report(bucket: Bucket, nowMs: number): void {
    const { host, level, message } = bucket;
    this.#logger[level]({ host, of: message, ...takeHeld(bucket, nowMs) }, 'lines of clients were held back');
  }

  #bucket(level: Level, host: string, message: string, nowMs: number): Bucket {
    const whose = this.#buckets.has(`${host} ${message}`) || this.#buckets.size < maxBuckets ? host : elsewhere;
    const key = `${whose} ${message}`;
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    const tokens = this.#burst;
    const fresh = { host: whose, level, message, tokens, filledAtMs: nowMs, held: 0, reportedAtMs: nowMs };
    this.#buckets.set(key, fresh);
    return fresh;
  }
}

function takeHeld(bucket: Bucket, nowMs: number): { readonly held_back?: number } {
  const { held } = bucket;
  bucket.held = 0;
  bucket.reportedAtMs = nowMs;
  return held === 0 ? {} : { held_back: held };
}
