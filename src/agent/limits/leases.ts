import { bucketName, type LimitGrants, type LimitTake, type SharedBucket, takeLimits } from '../../contracts/index.ts';
import type { Clock } from '../../std/queue/index.ts';
import { Lease, type LeaseHost } from './lease.ts';
import type { Verdict } from './verdict.ts';

export interface LeasesOptions {
  /** Asks the control plane; rejects when it does not answer in time. */
  readonly call: (takes: readonly LimitTake[]) => Promise<LimitGrants>;
  readonly clock: Clock;
  /** Calls back when what happens together has happened; `setImmediate` by default. */
  readonly soon?: (callback: () => void) => void;
  /** So long requests wait for the control plane, in milliseconds; 1000 by default. */
  readonly patienceMs?: number | undefined;
  /** How many keys are known at once; 20,000 by default. */
  readonly maxKeys?: number;
}

const defaultPatienceMs = 1000;
const lookMs = 500;
const defaultMaxKeys = 20_000;

/** What one proxy may let through of limits that it shares with others. Questions that come together go out as one message. */
export class Leases {
  /** Messages to the control plane. */
  calls = 0;
  readonly #options: LeasesOptions;
  /** By bucket and key, the one that was used last the longest ago first. */
  readonly #leases = new Map<string, Lease>();
  #newest: Lease | undefined;
  readonly #names = new WeakMap<SharedBucket, string>();
  #wanting: Lease[] = [];
  #proxies = 1;
  #cancelLook: (() => void) | undefined;
  #stopped = false;
  readonly #host: LeaseHost;
  /** Cancel what is to be called later. */
  readonly #timers = new Set<() => void>();

  constructor(options: LeasesOptions) {
    this.#options = options;
    const { clock } = options;
    this.#host = {
      now: () => clock.now(),
      proxies: () => this.#proxies,
      wants: (lease) => this.#wants(lease),
      later: (lease, ms) => this.#later(ms, () => lease.renew()),
    };
  }

  /** How many keys are known. */
  get size(): number {
    return this.#leases.size;
  }

  /** Whether a request comes through. `key`: a digest of what requests differ by. */
  ask(bucket: SharedBucket, key: string, tokens: number): Verdict | Promise<Verdict> {
    return this.#find(bucket, key).ask(tokens);
  }

  /** Takes what the response of a request cost that came through. */
  charge(bucket: SharedBucket, key: string, tokens: number): void {
    this.#find(bucket, key).charge(tokens);
  }

  #find(bucket: SharedBucket, key: string): Lease {
    const name = `${this.#nameOf(bucket)} ${key}`;
    const known = this.#leases.get(name);
    // Nothing has to move where the same key is wanted again and again.
    if (known && known === this.#newest) return known;
    const lease = known ?? this.#make(bucket, key);
    this.#leases.delete(name);
    this.#leases.set(name, lease);
    this.#newest = lease;
    if (this.#leases.size > (this.#options.maxKeys ?? defaultMaxKeys)) this.#dropOldest();
    this.#cancelLook ??= this.#options.clock.after(lookMs, () => this.#look());
    return lease;
  }

  #nameOf(bucket: SharedBucket): string {
    const known = this.#names.get(bucket);
    if (known !== undefined) return known;
    const name = `${bucketName(bucket)} ${bucket.closes}`;
    this.#names.set(bucket, name);
    return name;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook?.();
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #make(bucket: SharedBucket, key: string): Lease {
    return new Lease(this.#host, bucket, key);
  }

  /** Its tokens are lost, and it is asked for when it is wanted again. */
  #dropOldest(): void {
    for (const [name, lease] of this.#leases) {
      if (!lease.isQuiet) continue;
      this.#drop(name, lease);
      return;
    }
  }

  #drop(name: string, lease: Lease): void {
    lease.end();
    this.#leases.delete(name);
    if (this.#newest === lease) this.#newest = undefined;
  }

  #later(ms: number, callback: () => void): void {
    const cancel = this.#options.clock.after(ms, () => {
      this.#timers.delete(cancel);
      callback();
    });
    this.#timers.add(cancel);
  }

  #look(): void {
    this.#cancelLook = undefined;
    if (this.#stopped) return;
    for (const [name, lease] of this.#leases) if (lease.look()) this.#drop(name, lease);
    if (this.#leases.size > 0) this.#cancelLook = this.#options.clock.after(lookMs, () => this.#look());
  }

  #wants(lease: Lease): void {
    this.#wanting.push(lease);
    if (this.#wanting.length > 1) return;
    const { soon = setImmediate } = this.#options;
    soon(() => {
      const wanting = this.#wanting;
      this.#wanting = [];
      for (let at = 0; at < wanting.length; at += takeLimits.takes)
        void this.#send(wanting.slice(at, at + takeLimits.takes));
    });
  }

  async #send(leases: readonly Lease[]): Promise<void> {
    this.calls += 1;
    const takes = leases.map((lease) => lease.toTake());
    const { clock, patienceMs = defaultPatienceMs } = this.#options;
    const cancel = clock.after(patienceMs, () => {
      for (const lease of leases) lease.late();
    });
    const answer = await this.#options.call(takes).catch(() => undefined);
    cancel();
    if (answer) this.#proxies = answer.proxies;
    leases.forEach((lease, at) => {
      const grant = answer?.grants[at];
      if (grant) lease.granted(grant);
      else lease.failed();
    });
  }
}
