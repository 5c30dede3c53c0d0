import type { SharedBucket } from '../../contracts/index.ts';
import { TokenBucket } from '../../std/tokens/index.ts';

/** What one of the proxies lets through by itself: the limit, divided by those who share it. `dearest`: what one request may need at once. */
export const ownPartOf = ({ windows }: SharedBucket, proxies: number, dearest: number): TokenBucket =>
  new TokenBucket(
    windows.map(({ requests, perMs, burst }) => ({
      requests,
      perMs: perMs * proxies,
      burst: Math.max(Math.min(burst, dearest), Math.floor(burst / proxies)),
    })),
  );
