import { type Clock, systemClock } from '../../std/queue/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { type AskReplicaOptions, askReplica, readReplica } from './ask-replica.ts';
import { Feed } from './feed.ts';
import { type BudgetFollower, MergedNodeList, type ReplicaHooks } from './merged-node-list.ts';
import { Peer } from './peer.ts';
import type { RemoteState } from './remote.ts';
import type { ReplicaNodes } from './replica-nodes.ts';
import { type Lookup, type ReplicaAddress, type ReplicaPlaces, resolvePlaces, systemLookup } from './resolve-places.ts';
import { defaultTiming, type ReplicaTiming } from './timing.ts';
import { awayWarning, disagreements, type ReplicaWarning, unresolvedWarning } from './warnings.ts';

export interface ReplicasOptions {
  readonly places: ReplicaPlaces;
  /** The data planes of all replicas. */
  readonly nodes: ReplicaNodes;
  /** Id of the newest snapshot. */
  readonly snapshot: () => string | undefined;
  /** What the others' admin API asks for; undefined: nothing. */
  readonly token: () => Promise<string | undefined>;
  readonly hooks: ReplicaHooks;
  readonly logger: Logger;
  /** How many of the addresses are connected, and how many cannot be. */
  readonly onPeers?: (counts: { readonly connected: number; readonly unreachable: number }) => void;
  readonly timing?: Partial<ReplicaTiming>;
  readonly clock?: Clock;
  readonly now?: () => Date;
  readonly lookup?: Lookup;
}

/** One control plane as this one sees it. */
export interface ReplicaView {
  readonly identity: string;
  /** `HOST:PORT` of its admin API; null for this one. */
  readonly address: string | null;
  readonly state: 'self' | RemoteState;
  readonly snapshotVersion: string | null;
  /** How many data planes it lists. */
  readonly nodeCount: number;
  /** When something was heard of it last; null for this one. */
  readonly lastHeardAt: Date | null;
}

/**
 * The other control planes: finds them, follows what each reports, reports what happens here. Their reports are merged
 * into `nodes`; the hooks notify the parts that must act on it. Without places there is but this replica, and nothing is done.
 */
export class Replicas {
  /** What is reported to the others. */
  readonly feed: Feed;
  readonly #options: ReplicasOptions;
  readonly #timing: ReplicaTiming;
  readonly #clock: Clock;
  readonly #merged: MergedNodeList;
  /** By `HOST:PORT`. */
  readonly #peers = new Map<string, { readonly peer: Peer; readonly ended: Promise<void> }>();
  readonly #introduction = Promise.withResolvers<void>();
  /** Addresses of the first resolution that have neither reported everything nor failed yet. */
  #strangers: Set<string> | undefined;
  #unresolved: { readonly since: number; readonly reason: string } | undefined;
  #cancelResolve: () => void = () => {};
  #cancelIntroduction: () => void = () => {};
  #budgets: BudgetFollower | undefined;
  /** Id of the snapshot that the others know of. */
  #sentSnapshot: string | undefined;
  #stopped = false;

  constructor(options: ReplicasOptions) {
    const { nodes, snapshot, hooks, logger } = options;
    const { clock = systemClock, now = () => new Date() } = options;
    this.#options = options;
    this.#timing = { ...defaultTiming, ...options.timing };
    this.#clock = clock;
    this.feed = new Feed({
      identity: nodes.remotes.identity,
      nodes: nodes.local,
      snapshot,
      keepsBudgets: () => this.#budgets !== undefined,
      timing: this.#timing,
    });
    const budgets = () => this.#budgets;
    this.#merged = new MergedNodeList({ nodes, hooks, budgets, logger, timing: this.#timing, clock, now });
  }

  /** The data planes of all replicas. */
  get nodes(): ReplicaNodes {
    return this.#options.nodes;
  }

  /** Every replica that can be reached has reported all it knows, or too much time has passed: worth waiting for before the first build. */
  get peersSynced(): Promise<void> {
    return this.#introduction.promise;
  }

  start(): void {
    const { service, peers } = this.#options.places;
    if (service === undefined && peers.length === 0) {
      this.#introduction.resolve();
      return;
    }
    this.#cancelIntroduction = this.#clock.after(this.#timing.introductionMs, () => this.#introduction.resolve());
    void this.#resolve();
  }

  /** This replica has built: it may have another snapshot, and Gateways or pods may be gone. */
  built(): void {
    this.#merged.forgetGone();
    const id = this.#options.snapshot();
    if (id === this.#sentSnapshot) return;
    this.#sentSnapshot = id;
    this.#merged.agreement.setOwn(id);
    this.feed.snapshotChanged();
  }

  /** Says bye to those who listen, and listens to no replica any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelResolve();
    this.#cancelIntroduction();
    this.#introduction.resolve();
    this.feed.close();
    this.#merged.stop();
    const peers = [...this.#peers.values()];
    this.#peers.clear();
    for (const { peer } of peers) peer.stop();
    await Promise.all(peers.map(({ ended }) => ended));
  }

  /** All control planes, this one first. */
  list(): readonly ReplicaView[] {
    const { nodes, snapshot } = this.#options;
    const { identity } = nodes.remotes;
    const nodeCount = nodes.local.list().length;
    const self = { identity, address: null, state: 'self', snapshotVersion: snapshot() ?? null, nodeCount } as const;
    return [
      { ...self, lastHeardAt: null },
      ...this.#merged.list().map((remote) => ({
        identity: remote.identity,
        address: remote.address,
        state: remote.state,
        snapshotVersion: remote.snapshot ?? null,
        nodeCount: remote.nodes.size,
        lastHeardAt: remote.lastHeardAt,
      })),
    ];
  }

  /** Identities of other replicas that can be asked for shared rate limits now. */
  limitKeepers(): string[] {
    return this.#merged
      .list()
      .filter(({ state, keepsLimits }) => state === 'connected' && keepsLimits)
      .map(({ identity }) => identity);
  }

  /** The same for budgets of AI traffic. */
  budgetKeepers(): string[] {
    return this.#merged
      .list()
      .filter(({ state, keepsBudgets }) => state === 'connected' && keepsBudgets)
      .map(({ identity }) => identity);
  }

  /** Who keeps budgets here, before others are connected to. */
  followBudgets(follower: BudgetFollower): void {
    this.#budgets = follower;
  }

  /** When replicas went that are not back, by identity, for a day; one that is away and may come back is not among them. */
  gone(): ReadonlyMap<string, Date> {
    return this.#merged.gone;
  }

  /** Asks another control plane for a path of Layout 1. Rejects with the reason, for people. */
  async ask(identity: string, path: string, timeoutMs: number): Promise<unknown> {
    return await askReplica({ ...(await this.#placeOf(identity)), path, timeoutMs });
  }

  /** The same while it comes in. */
  async *read(identity: string, path: string, timeoutMs: number): AsyncGenerator<Buffer> {
    yield* readReplica({ ...(await this.#placeOf(identity)), path, timeoutMs });
  }

  warnings(): readonly ReplicaWarning[] {
    const { graceMs } = this.#timing;
    const { since = Number.POSITIVE_INFINITY, reason = '' } = this.#unresolved ?? {};
    return [
      ...(this.#clock.now() - since > graceMs ? [unresolvedWarning(reason)] : []),
      ...[...this.#peers.values()].flatMap(({ peer }) => awayWarning(peer, this.#merged, graceMs)),
      ...disagreements(this.#merged, this.#options.snapshot()),
    ];
  }

  async #placeOf(identity: string): Promise<Pick<AskReplicaOptions, 'address' | 'token'>> {
    const remote = this.#merged.list().find((each) => each.identity === identity);
    if (remote?.state !== 'connected') throw new Error('it is away');
    return { address: remote.address, token: await this.#options.token() };
  }

  async #resolve(): Promise<void> {
    const { places, lookup = systemLookup } = this.#options;
    try {
      const addresses = await resolvePlaces(places, lookup);
      this.#unresolved = undefined;
      if (!this.#stopped) this.#expect(addresses);
    } catch (error) {
      this.#cannotResolve(error);
    }
    this.#cancelResolve();
    if (this.#stopped || places.service === undefined) return;
    this.#cancelResolve = this.#clock.after(this.#timing.resolveMs, () => void this.#resolve());
  }

  #cannotResolve(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#unresolved === undefined)
      this.#options.logger.warn({ reason }, 'the name of the replicas is not resolved');
    this.#unresolved ??= { since: this.#clock.now(), reason };
    this.#strangers ??= new Set();
    this.#met(undefined);
  }

  #expect(addresses: ReadonlyMap<string, ReplicaAddress>): void {
    this.#strangers ??= new Set(addresses.keys());
    for (const [text, { peer }] of this.#peers) {
      // A connection that works says more than a name that is late.
      if (addresses.has(text) || peer.state === 'connected') continue;
      this.#peers.delete(text);
      peer.stop();
    }
    for (const [text, address] of addresses) {
      if (this.#peers.has(text)) continue;
      const peer = this.#peerAt(address);
      this.#peers.set(text, { peer, ended: peer.run() });
    }
    this.#met(undefined);
    this.#notifyPeers();
  }

  #peerAt(address: ReplicaAddress): Peer {
    const { nodes, token } = this.#options;
    return new Peer({
      address,
      identity: nodes.remotes.identity,
      token,
      timing: this.#timing,
      clock: this.#clock,
      onMessage: (peer, whose, message) => {
        this.#merged.take(peer, peer.address, whose, message);
        if (message.type === 'synced') this.#met(peer.address);
        if (message.type === 'hello') this.#notifyPeers();
      },
      onHeard: (whose) => this.#merged.heard(whose),
      onEnd: (peer, whose) => this.#ended(peer, whose),
    });
  }

  #ended(peer: Peer, whose: string | undefined): void {
    this.#met(peer.address);
    if (this.#stopped) return;
    this.#notifyPeers();
    if (whose === undefined) return;
    this.#merged.parted(peer, whose, peer.reason);
    // Where it is now, or whether it is to be expected at all, may be known by now.
    if (this.#options.places.service !== undefined) void this.#resolve();
  }

  /** One of those who are waited for at the start has spoken, or cannot. */
  #met(address: string | undefined): void {
    if (address !== undefined) this.#strangers?.delete(address);
    if (this.#strangers?.size === 0) this.#introduction.resolve();
  }

  #notifyPeers(): void {
    const states = [...this.#peers.values()].map(({ peer }) => peer.state);
    const count = (wanted: Peer['state']) => states.filter((state) => state === wanted).length;
    this.#options.onPeers?.({ connected: count('connected'), unreachable: count('failing') });
  }
}
