import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../../kube/index.ts';
import { type Lease, leaseType } from './lease.ts';

export interface WatchLeaseOptions {
  readonly client: Pick<KubeClient, 'watch'>;
  readonly namespace: string;
  readonly name: string;
  readonly retryPeriodMs: number;
  /** Called at each change; undefined: there is no such lease any more. */
  readonly onLease: (lease: Lease | undefined) => void;
  readonly signal: AbortSignal;
}

const watchSeconds = 240;
const idleMs = 100_000;

/**
 * Reports the lease as soon as it changes: standbys then count its duration from the moment it was renewed, not from
 * their next look, and take a lease that was given back at once. Never fails; what it misses the next look finds.
 */
export async function watchLease(options: WatchLeaseOptions): Promise<void> {
  const { client, namespace, name, retryPeriodMs, onLease, signal } = options;
  const watch = { namespace, fieldSelector: `metadata.name=${name}`, timeoutSeconds: watchSeconds, idleMs, signal };
  while (!signal.aborted) {
    await client
      .watch(leaseType, { ...watch, resourceVersion: '' }, ({ type, object }) => {
        if (type !== 'BOOKMARK') onLease(type === 'DELETED' ? undefined : (object as Lease));
      })
      .catch(() => undefined);
    await delay(retryPeriodMs, undefined, { signal }).catch(() => undefined);
  }
}
