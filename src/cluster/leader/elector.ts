import { type KubeClient, KubeError } from '../../kube/index.ts';
import { type Clock, systemClock } from '../../std/queue/index.ts';
import { foreignHolder } from './foreign-holder.ts';
import { explained, LeaderElectionError, namespaceMissing } from './leader-error.ts';
import { type Claim, claimed, type Lease, leaseType, policiesAnnotation, released } from './lease.ts';
import { LeaseWatch } from './watch-lease.ts';

/** The calls that an election makes; KubeClient has them. */
export type LeaseApi = Pick<KubeClient, 'find' | 'create' | 'replace' | 'watch'>;

export interface ElectorOptions {
  /**
   * A client of the elector's own: renewals must not queue behind other requests, nor try one dead connection of
   * a shared pool after the other.
   */
  readonly client: LeaseApi;
  readonly namespace: string;
  /** Of the lease. */
  readonly name: string;
  /** Written into the lease; no other process may have the same, now or later. */
  readonly identity: string;
  /** Distinguishes our leases from those of others. */
  readonly controllerName: string;
  /** For so long after its last sign of life no other may take the lease from its holder. */
  readonly leaseDurationMs: number;
  /** A leader that could not renew for so long stops leading. */
  readonly renewDeadlineMs: number;
  /** How often the lease is looked at, and a failed renewal tried again. A leader that renews it waits longer (`restShare`). */
  readonly retryPeriodMs: number;
  /** Claim.hasPolicies, of now. */
  readonly hasPolicies?: () => boolean | undefined;
  readonly onGained?: () => void;
  /** Every write under way is aborted when this is called. */
  readonly onLost?: (reason: string) => void;
  /** A look at the lease, or a renewal, failed and is tried again. */
  readonly onFailure?: (error: Error) => void;
  readonly clock?: Clock;
  /** The time of day, for people who read the lease. */
  readonly now?: () => Date;
}

const noTerm = AbortSignal.abort();

/**
 * How long a leader rests after a renewal, as a share of its deadline: after a request that hangs for half of the deadline, there is time for
 * another. At rest, renewals are half of what a control plane takes.
 */
const restShare = 3 / 8;

/**
 * Elects one leader among all who use the same lease.
 *
 * - Others' clocks do not count: a lease may be taken when it did not change for its duration by our own clock, counted
 *   from when we saw it. `renewTime` is never compared.
 * - The leader counts from before the renewal was *sent*, and stops after `renewDeadlineMs` whatever happens: an API
 *   server that hangs, a renewal that is rejected, a process that was stopped. Since the deadline is shorter than the
 *   lease, and others count from later, it has stopped before another can begin.
 * - Every write is bound to the version that was read, so of two who try at once one gets the lease.
 *
 * States: standby, leading. `isLeader` and `term` look at the clock themselves, so that a late timer makes no difference.
 */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #clock: Clock;
  /** The newest lease we know of, and when we first saw it so. */
  #seen: Lease | undefined;
  #seenAt = 0;
  #term: AbortController | undefined;
  #leadsUntil = 0;
  #cancelDeadline: (() => void) | undefined;
  /** The lease was found fit to be used: from now on nothing but the signal ends the election. */
  #started = false;
  /** What is known of the lease may be what was wrong with the last write. */
  #mustRead = true;
  #failed = false;
  /** When the last look at the lease, or renewal, began. */
  #beganAt = 0;
  /** Of standbys. A leader knows the lease from its own writes, and each renewal would come back as an event. */
  readonly #watch: LeaseWatch;
  /** Ends the wait between two looks. */
  #wake: () => void = () => {};

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#watch = new LeaseWatch({ ...options, onLease: (lease) => this.#handleLease(lease) });
  }

  get isLeader(): boolean {
    this.#checkDeadline();
    return this.#term !== undefined;
  }

  /** Aborted while we do not lead; aborts when we stop leading. */
  get term(): AbortSignal {
    this.#checkDeadline();
    return this.#term?.signal ?? noTerm;
  }

  /** Who holds the lease, as far as we know. */
  get holder(): string | undefined {
    return this.#seen?.spec?.holderIdentity || undefined;
  }

  /** Whether a leader, now or before, knew policies of access. */
  async knewPolicies(): Promise<boolean> {
    const { client, namespace, name, renewDeadlineMs } = this.#options;
    const lease = await client.find<Lease>(leaseType, { namespace, name }, { timeoutMs: renewDeadlineMs });
    return lease?.metadata.annotations?.[policiesAnnotation] !== undefined;
  }

  /**
   * Takes part until the signal, then gives the lease back: stop writing first. Rejects with LeaderElectionError when
   * the lease cannot be used from the start.
   */
  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    this.#watch.begin();
    try {
      while (!signal.aborted) {
        await this.#attempt(signal);
        if (!signal.aborted) await this.#pause();
      }
      await this.#watch.end();
      await this.#release();
    } finally {
      signal.removeEventListener('abort', wake);
      this.#lose('stopped');
      await this.#watch.end();
    }
  }

  async #attempt(signal: AbortSignal): Promise<void> {
    this.#beganAt = this.#clock.now();
    try {
      await this.#campaign(signal);
      this.#started = true;
      this.#failed = false;
    } catch (caught) {
      if (signal.aborted) return;
      const error = explained(caught, this.#options);
      if (!this.#started && error instanceof LeaderElectionError) throw error;
      this.#mustRead = true;
      this.#failed = true;
      this.#options.onFailure?.(error);
    }
  }

  /** One try to get the lease, or to keep it. A leader writes over what it wrote last; others read first. */
  async #campaign(signal: AbortSignal): Promise<void> {
    const lease = this.isLeader && !this.#mustRead ? this.#seen : await this.#read(signal);
    if (lease !== undefined) this.#rejectForeign(lease);
    if (lease !== undefined && !this.#mayTake(lease)) {
      this.#lose(`the lease is held by ${lease.spec?.holderIdentity}`);
      return;
    }
    const sentAt = this.#clock.now();
    this.#see(await this.#write(lease, signal));
    this.#mustRead = false;
    if (!signal.aborted) this.#lead(sentAt);
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options;
    const lease = await client.find<Lease>(leaseType, { namespace, name }, this.#call(signal));
    if (lease !== undefined) this.#see(lease);
    return lease;
  }

  async #write(lease: Lease | undefined, signal: AbortSignal): Promise<Lease> {
    const { client } = this.#options;
    const desired = claimed(lease, this.#claim());
    if (lease !== undefined) return await client.replace<Lease>(leaseType, desired, this.#call(signal));
    return await client.create<Lease>(leaseType, desired, this.#call(signal)).catch((error: unknown) => {
      throw error instanceof KubeError && error.code === 'not-found' ? namespaceMissing(error, this.#options) : error;
    });
  }

  /** Half of the deadline, so that one request may hang and another still be in time. */
  #call(signal: AbortSignal) {
    return { signal, timeoutMs: this.#options.renewDeadlineMs / 2 };
  }

  #claim(): Claim {
    const { namespace, name, identity, controllerName, leaseDurationMs, now = () => new Date() } = this.#options;
    const hasPolicies = this.#options.hasPolicies?.();
    return { namespace, name, identity, controllerName, durationMs: leaseDurationMs, hasPolicies, now: now() };
  }

  #mayTake({ spec }: Lease): boolean {
    const holder = spec?.holderIdentity;
    if (!holder || holder === this.#options.identity) return true;
    return this.#clock.now() >= this.#expiresAt(spec);
  }

  /** When the lease as it was last seen becomes free. */
  #expiresAt(spec: Lease['spec']): number {
    const { leaseDurationMs } = this.#options;
    return this.#seenAt + (spec?.leaseDurationSeconds ? spec.leaseDurationSeconds * 1000 : leaseDurationMs);
  }

  #see(lease: Lease): void {
    if (lease.metadata.resourceVersion === this.#seen?.metadata.resourceVersion) return;
    this.#seen = lease;
    this.#seenAt = this.#clock.now();
  }

  /** The watch reported the lease; undefined: it was deleted. A leader knows from its own writes, and finds out by the next one. */
  #handleLease(lease: Lease | undefined): void {
    if (this.isLeader) return;
    if (lease !== undefined) this.#see(lease);
    if (!lease?.spec?.holderIdentity) this.#wake();
  }

  #lead(sentAt: number): void {
    const { renewDeadlineMs, onGained } = this.#options;
    this.#leadsUntil = sentAt + renewDeadlineMs;
    this.#cancelDeadline?.();
    this.#cancelDeadline = this.#clock.after(this.#leadsUntil - this.#clock.now(), () => this.#checkDeadline());
    if (this.#term !== undefined) {
      this.#checkDeadline();
      return;
    }
    // An answer that took too long is no leave to begin.
    if (this.#clock.now() >= this.#leadsUntil) return;
    this.#term = new AbortController();
    this.#watch.pause();
    onGained?.();
  }

  #checkDeadline(): void {
    if (this.#term === undefined || this.#clock.now() < this.#leadsUntil) return;
    this.#lose(`the lease could not be renewed for ${this.#options.renewDeadlineMs / 1000} s`);
  }

  #lose(reason: string): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    const term = this.#term;
    if (term === undefined) return;
    this.#term = undefined;
    this.#watch.begin();
    term.abort();
    this.#options.onLost?.(reason);
  }

  get #periodMs(): number {
    const { retryPeriodMs, renewDeadlineMs } = this.#options;
    return this.#failed || !this.isLeader ? retryPeriodMs : Math.max(retryPeriodMs, restShare * renewDeadlineMs);
  }

  /** Until the next look is due: a period after the last one began, or when the lease expires if that is sooner. */
  async #pause(): Promise<void> {
    const waits = !this.#failed && !this.isLeader && this.#seen?.spec?.holderIdentity !== undefined;
    const expiresAt = waits ? this.#expiresAt(this.#seen?.spec) : Number.POSITIVE_INFINITY;
    const waitMs = Math.max(0, Math.min(this.#beganAt + this.#periodMs, expiresAt) - this.#clock.now());
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(waitMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = () => {};
  }

  /** Best effort: if this fails, the next candidate has to wait for the lease's end. */
  async #release(): Promise<void> {
    const { client, identity, onFailure } = this.#options;
    this.#lose('stopping');
    try {
      const patience = this.#call(AbortSignal.timeout(this.#options.renewDeadlineMs / 2));
      const lease = await client.find<Lease>(leaseType, this.#options, patience);
      if (lease?.spec?.holderIdentity !== identity) return;
      await client.replace<Lease>(leaseType, released(lease, this.#claim()), patience);
    } catch (caught) {
      onFailure?.(KubeError.from('giving the lease back', caught));
    }
  }

  #rejectForeign(lease: Lease): void {
    const { namespace, name, controllerName } = this.#options;
    const whose = foreignHolder(lease, controllerName);
    if (whose === undefined) return;
    this.#lose(`the lease is not ours any more: it is ${whose}`);
    throw new LeaderElectionError(
      'lease_conflict',
      `leaderElection.id: Lease ${namespace}/${name} is ${whose}; choose another leaderElection.id, or delete the lease if nothing uses it (kubectl -n ${namespace} delete lease ${name})`,
    );
  }
}
