import type { Middleware } from 'koa';
import { HttpError } from './http-error.ts';

export interface RateLimitOptions {
  /** Requests that one address may make in the long run. */
  readonly perSecond: number;
  /** Requests that it may make at once; ten seconds' worth by default. */
  readonly burst?: number;
  /** Not limited: probes must be answered. */
  readonly openPaths: ReadonlySet<string>;
  /** Milliseconds, never backwards. */
  readonly clock?: () => number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** More addresses than this are not remembered: those that were quiet for longest are forgotten, and start again. */
const maxAddresses = 10_000;

/** A bucket of tokens for each client address; 429 with `Retry-After` for a client with none left. */
export function rateLimit({
  perSecond,
  burst = perSecond * 10,
  openPaths,
  clock = () => performance.now(),
}: RateLimitOptions): Middleware {
  const buckets = new Map<string, Bucket>();
  const take = (address: string): boolean => {
    const now = clock();
    const bucket = buckets.get(address) ?? { tokens: burst, filledAt: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    // Moves it behind those that were quiet for longer.
    buckets.delete(address);
    buckets.set(address, bucket);
    const [quietest] = buckets.keys();
    if (buckets.size > maxAddresses && quietest !== undefined) buckets.delete(quietest);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
  return (ctx, next) => {
    if (openPaths.has(ctx.path) || take(ctx.req.socket.remoteAddress ?? '')) return next();
    throw new HttpError('rate_limited', `more than ${perSecond} requests per second`, {
      headers: { 'Retry-After': '1' },
    });
  };
}
