import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../../kube/index.ts';
import { type Lease, leaseType } from './lease.ts';

interface WatchLeaseOptions {
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

/** The watch of one who takes part in an election, at times. */
export class LeaseWatch {
  readonly #options: Omit<WatchLeaseOptions, 'signal'>;
  #present: AbortController | undefined;
  #hasEnded = false;
  /** Those that have not ended. */
  readonly #all = new Set<Promise<void>>();

  constructor(options: Omit<WatchLeaseOptions, 'signal'>) {
    this.#options = options;
  }

  begin(): void {
    if (this.#hasEnded) return;
    this.#present?.abort();
    this.#present = new AbortController();
    const watch = watchLease({ ...this.#options, signal: this.#present.signal });
    this.#all.add(watch);
    void watch.then(() => this.#all.delete(watch));
  }

  /** Until `begin`. */
  pause(): void {
    this.#present?.abort();
  }

  /** For good: who leaves, and so stops leading, begins no other. Resolves when nothing of it is left. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.pause();
    await Promise.all(this.#all);
  }
}

/**
 * Reports the lease as soon as it changes: standbys then count its duration from the moment it was renewed, not from
 * their next look, and take a lease that was given back at once. Never fails; what it misses the next look finds.
 */
async function watchLease(options: WatchLeaseOptions): Promise<void> {
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
