import type { LimitGrant, LimitGrants, LimitTake, LimitTakes } from '../contracts/index.ts';
import { pushTo } from '../std/index.ts';
import type { Clock } from '../std/queue/index.ts';
import { inTurns } from '../std/steps/index.ts';
import { BucketOwner } from './bucket-owner.ts';
import type { LimitStore } from './limit-store.ts';
import type { SharedLimitsMetrics } from './metrics.ts';
import { ownerOf } from './owner-of.ts';
import { PeerCalls } from './peer-calls.ts';

/** What replicas ask each other. Both are broadcast; `to` says who is meant. */
export interface TakesMessage {
  readonly to: string;
  /** Of the one that asks; its answer has the same. */
  readonly id: number;
  readonly cluster: string;
  readonly takes: readonly LimitTake[];
}

export interface GrantsMessage {
  readonly to: string;
  readonly id: number;
  readonly grants: readonly (LimitGrant | null)[];
}

/** The way to other replicas. */
export interface LimitPeers {
  /** Identities of those that can be asked now. */
  readonly connected: () => readonly string[];
  readonly ask: (message: TakesMessage) => void;
  readonly answer: (message: GrantsMessage) => void;
}

export interface SharedLimitsOptions {
  readonly identity: string;
  readonly peers: LimitPeers;
  /** How many proxies of a Gateway there are, at all replicas. */
  readonly proxies: (cluster: string) => number;
  readonly clock: Clock;
  readonly metrics: SharedLimitsMetrics;
  /** Keeps the buckets of all replicas, in place of these. */
  readonly store?: LimitStore | undefined;
}

/** Requests of an agent wait no longer than a second. */
const answerMs = 800;
/** What is granted later than this is lost. */
const lateMs = 10_000;
const sweepMs = 10_000;

/** Answers agents that take from limits which all proxies of a Gateway share. A store keeps each key, or one replica does, and the others ask it. */
export class SharedLimits {
  readonly #options: SharedLimitsOptions;
  readonly #owner: BucketOwner;
  readonly #calls: PeerCalls<GrantsMessage['grants']>;
  #cancelSweep: () => void = () => {};
  #stopped = false;

  constructor(options: SharedLimitsOptions) {
    const { clock, metrics, store } = options;
    this.#options = options;
    this.#calls = new PeerCalls({ clock, answerMs, lateMs });
    this.#owner = new BucketOwner({ now: () => clock.now() });
    metrics.readKeys(() => this.#owner.size);
    if (store) metrics.readStore(() => store.isConnected);
  }

  /** Why the store does not answer, and what to do; undefined without one, and while it does. */
  get storeTrouble(): string | undefined {
    return this.#options.store?.trouble;
  }

  start(): void {
    this.#options.store?.start();
    this.#sweepLater();
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#options.clock.after(sweepMs, () => void this.#sweep());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelSweep();
    this.#options.store?.stop();
    this.#calls.stop();
  }

  /** What an agent of ours takes. A grant is null where its owner did not answer. */
  async take({ cluster, takes }: Omit<LimitTakes, 'nodeId'>): Promise<LimitGrants> {
    const { proxies, store, metrics } = this.#options;
    if (store) metrics.taken('store', takes.length);
    const grants = await (store ? store.take(cluster, takes) : this.#takeOfReplicas(cluster, takes));
    return { proxies: Math.max(1, proxies(cluster)), grants };
  }

  async #takeOfReplicas(cluster: string, takes: readonly LimitTake[]): Promise<readonly (LimitGrant | null)[]> {
    const { identity, peers, metrics } = this.#options;
    const replicas = [identity, ...peers.connected()];
    const grants: (LimitGrant | null)[] = takes.map(() => null);
    const byOwner = new Map<string, number[]>();
    takes.forEach(({ bucket, key }, at) => {
      pushTo(byOwner, ownerOf(`${cluster} ${bucket} ${key}`, replicas) ?? identity, at);
    });
    const asked = [...byOwner].map(async ([owner, places]) => {
      const wanted = places.flatMap((at) => takes[at] ?? []);
      const got = owner === identity ? this.#grants(cluster, wanted) : await this.#ask(owner, cluster, wanted);
      metrics.taken(owner === identity ? 'self' : 'replica', wanted.length);
      places.forEach((at, index) => {
        grants[at] = got[index] ?? null;
      });
    });
    await Promise.all(asked);
    return grants;
  }

  /** Another replica asks for what this one keeps. */
  asked(from: string, { to, id, cluster, takes }: TakesMessage): void {
    const { identity, peers, store } = this.#options;
    if (to !== identity) return;
    const answer = (grants: GrantsMessage['grants']) => peers.answer({ to: from, id, grants });
    // A replica without the store asks while the configuration changes.
    if (store) void store.take(cluster, takes).then(answer);
    else answer(this.#grants(cluster, takes));
  }

  /** Another replica answers. */
  answered(from: string, { to, id, grants }: GrantsMessage): void {
    if (to === this.#options.identity) this.#calls.answered(from, id, grants);
  }

  /** A replica cannot be asked any more. */
  parted(replica: string): void {
    this.#calls.parted(replica);
  }

  async #sweep(): Promise<void> {
    await inTurns(this.#owner.sweeping());
    if (!this.#stopped) this.#sweepLater();
  }

  #grants(cluster: string, takes: readonly LimitTake[]): (LimitGrant | null)[] {
    return takes.map((take) => this.#owner.take(cluster, take) ?? null);
  }

  async #ask(replica: string, cluster: string, takes: readonly LimitTake[]): Promise<readonly (LimitGrant | null)[]> {
    const { peers } = this.#options;
    const grants = await this.#calls.ask({
      replica,
      say: (id) => peers.ask({ to: replica, id, cluster, takes }),
      onLate: (late) => this.#giveBack(replica, cluster, takes, late),
    });
    return grants ?? [];
  }

  /** No agent waits for these grants any more. */
  #giveBack(to: string, cluster: string, takes: readonly LimitTake[], grants: readonly (LimitGrant | null)[]): void {
    const back = takes.flatMap((take, at): LimitTake[] => {
      const { granted = 0, owner = '' } = grants[at] ?? {};
      return granted > 0 ? [{ ...take, wanted: 0, back: granted, owner, debts: [] }] : [];
    });
    if (back.length > 0) this.#options.peers.ask({ to, id: this.#calls.next(), cluster, takes: back });
  }
}
