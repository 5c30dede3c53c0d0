import type { LimitGrant, LimitTake } from '../contracts/index.ts';

/** Where buckets are kept, if not in control planes. */
export interface LimitStore {
  readonly isConnected: boolean;
  /** Why it is not, and what to do; undefined while it is, and before that is known. */
  readonly trouble: string | undefined;
  start(): void;
  stop(): void;
  /** By take: what it got; null where the store did not say, also of a bucket that is none. Never rejects. */
  take(cluster: string, takes: readonly LimitTake[]): Promise<readonly (LimitGrant | null)[]>;
}
