import { credentialsLabel, namespaceOfKey } from '../gateway-api/index.ts';
import { describePlace, type KeptKeys, keptConfigMap, keysName, type RemoteKeys, readKept } from '../key-sets/index.ts';
import { Backoff } from '../std/index.ts';
import { FetchFault } from './fetch-fault.ts';
import type { FetchedSet } from './fetch-keys.ts';
import type { FetchResult, KeyFetcherOptions } from './fetcher-options.ts';
import { freshForMs, jittered } from './interval.ts';
import type { KeysConfigMap } from './keeper.ts';

interface Entry {
  readonly remote: RemoteKeys;
  /** By key of each policy that wants it, how long it may be used; undefined: as its server says. */
  readonly policies: Map<string, number | undefined>;
  readonly backoff: Backoff;
  dueAt: number;
  isRunning: boolean;
  /** As it was kept last by this process, which its watch may not have seen yet. */
  kept?: KeptKeys;
}

const backoff = { baseMs: 4000, maxMs: 300_000 } as const;
/** Of connection and answer together. */
const timeoutMs = 10_000;
/** At once. */
const mostRunning = 8;
/** What is not wanted any more stays for so long, since a policy may come back. */
const unwantedMs = 600_000;
/** Until it is looked again whether a server is there. */
const notYetMs = 5000;
/** How many sets the policies of one namespace may have fetched. */
const maxPerNamespace = 64;

/**
 * Fetches keys that policies name, again and again: each set once for all policies that name the same place and authorities. The last good
 * ones stay while a server fails. Only the leader fetches.
 */
export class KeyFetcher {
  readonly #options: KeyFetcherOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #namesByPolicy = new Map<string, readonly string[]>();
  /** What was kept before for policies that went while no replica led, and when it is forgotten. */
  readonly #leftOver = new Map<string, number>();
  readonly #stopping = new AbortController();
  #cancel: (() => void) | undefined;
  #running = 0;
  #isStarted = false;

  constructor(options: KeyFetcherOptions) {
    this.#options = options;
  }

  /** What a policy wants; nothing: it is gone. `policy`: its key. */
  want(policy: string, remotes: readonly RemoteKeys[]): void {
    const before = this.#namesByPolicy.get(policy) ?? [];
    const names = new Map(remotes.toSorted(longestFirst).map((remote) => [keysName(remote), remote]));
    for (const name of before) if (!names.has(name)) this.#leave(name, policy);
    for (const [name, remote] of names)
      if (!this.#join(name, remote, policy)) this.#turnAway(name, remote, { isNews: !before.includes(name) });
    if (names.size === 0) this.#namesByPolicy.delete(policy);
    else this.#namesByPolicy.set(policy, [...names.keys()]);
    if (before.length + names.size > 0) this.wake();
  }

  /** What is kept is known: those that are old are fetched. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const [name, entry] of this.#entries) this.#schedule(name, entry);
    this.#sweep();
    this.wake();
  }

  /** This replica leads now: another one may have fetched meanwhile. */
  lead(): void {
    for (const [name, entry] of this.#entries) {
      entry.kept = undefined;
      if (!entry.isRunning) this.#schedule(name, entry);
    }
    if (this.#isStarted) this.#sweep();
    this.wake();
  }

  /** Something changed that a set is fetched by: it is tried at once if it failed, or never was. */
  retry(isMeant: (remote: RemoteKeys) => boolean): void {
    for (const entry of this.#entries.values()) {
      if (entry.isRunning || !isMeant(entry.remote)) continue;
      entry.backoff.reset();
      entry.dueAt = this.#options.clock.now();
    }
    this.wake();
  }

  /** Begins what is due, and waits for what comes next. */
  wake(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (!this.#isStarted || this.#stopping.signal.aborted || !this.#options.isLeader()) return;
    const now = this.#options.clock.now();
    let next = this.#dropLeftOvers(now);
    for (const [name, entry] of this.#entries) {
      if (entry.isRunning) continue;
      if (entry.dueAt <= now && this.#running < mostRunning) this.#begin(name, entry);
      else next = Math.min(next, Math.max(entry.dueAt, now + 1));
    }
    // One that ends makes room for others.
    if (next < Number.POSITIVE_INFINITY && this.#running < mostRunning)
      this.#cancel = this.#options.clock.after(next - now, () => this.wake());
  }

  /** The age of the oldest set that is in use, in seconds; 0 without any. */
  oldestAge(): number {
    const ages = [...this.#entries].flatMap(([name, { kept, policies }]) => {
      const { fetchedAt, keys } = kept ?? this.#known(name) ?? {};
      if (policies.size === 0 || keys === undefined || fetchedAt === undefined) return [];
      return (this.#options.now().getTime() - Date.parse(fetchedAt)) / 1000;
    });
    return Math.max(0, ...ages);
  }

  stop(): void {
    this.#stopping.abort();
    this.#cancel?.();
  }

  #known(name: string): KeptKeys | undefined {
    return readKept(this.#options.find(name));
  }

  /** Whether the policy gets it. */
  #join(name: string, remote: RemoteKeys, policy: string): boolean {
    this.#leftOver.delete(name);
    const known = this.#entries.get(name);
    if (known) {
      const isBack = known.policies.size === 0;
      known.policies.set(policy, remote.freshMs);
      if (isBack) this.#schedule(name, known);
      else this.#hasten(name, known);
      return true;
    }
    if (this.#countOf(policy) >= maxPerNamespace) return false;
    const policies = new Map([[policy, remote.freshMs]]);
    const entry: Entry = { remote, policies, backoff: this.#backoff(), dueAt: 0, isRunning: false };
    this.#entries.set(name, entry);
    this.#schedule(name, entry);
    return true;
  }

  #turnAway(name: string, remote: RemoteKeys, { isNews }: Pick<FetchResult, 'isNews'>): void {
    const fault = new FetchFault(`the policies of its namespace have ${maxPerNamespace} other sets of keys fetched`);
    this.#options.onResult({ keys: name, place: describePlace(remote), fault, isNews });
  }

  /** Policies may be on their way still, so nothing is forgotten at once. */
  #sweep(): void {
    const { names, clock } = this.#options;
    for (const name of names()) if (!this.#entries.has(name)) this.#leftOver.set(name, clock.now() + unwantedMs);
  }

  /** When the next one is due. */
  #dropLeftOvers(now: number): number {
    for (const [name, dueAt] of this.#leftOver) {
      if (dueAt > now) continue;
      this.#leftOver.delete(name);
      void this.#forget(name);
    }
    return Math.min(...this.#leftOver.values());
  }

  #leave(name: string, policy: string): void {
    const entry = this.#entries.get(name);
    if (!entry?.policies.delete(policy) || entry.policies.size > 0) return;
    entry.dueAt = this.#options.clock.now() + unwantedMs;
  }

  #countOf(policy: string): number {
    const namespace = namespaceOfKey(policy);
    const isOfNamespace = ({ policies }: Entry) =>
      [...policies.keys()].some((key) => namespaceOfKey(key) === namespace);
    return [...this.#entries.values()].filter(isOfNamespace).length;
  }

  /** When it is due, by what is kept. */
  #schedule(name: string, entry: Entry): void {
    const { clock } = this.#options;
    const kept = this.#known(name);
    const age = this.#ageOf(kept);
    // Authorities may have changed while no replica led, or while the one that did was asking.
    const isTrusted = (kept?.trust ?? '') === this.#options.trust(entry.remote);
    const isFresh = kept?.keys !== undefined && !kept.failure && age >= 0 && isTrusted;
    entry.dueAt = clock.now() + (isFresh ? Math.max(0, this.#wait(freshOf(entry, freshForMs(undefined))) - age) : 0);
  }

  /** A policy may want it sooner. What failed keeps its wait. */
  #hasten(name: string, entry: Entry): void {
    const kept = entry.kept ?? this.#known(name);
    const age = this.#ageOf(kept);
    if (entry.isRunning || kept?.failure || !(age >= 0)) return;
    const left = freshOf(entry, Number.POSITIVE_INFINITY) - age;
    entry.dueAt = Math.min(entry.dueAt, this.#options.clock.now() + Math.max(0, left));
  }

  /** In milliseconds; NaN: it was never fetched. */
  #ageOf(kept: KeptKeys | undefined): number {
    return kept?.fetchedAt === undefined ? Number.NaN : this.#options.now().getTime() - Date.parse(kept.fetchedAt);
  }

  #begin(name: string, entry: Entry): void {
    if (entry.policies.size === 0) return void this.#forget(name);
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)]);
    const fetching = this.#options.fetch(entry.remote, signal);
    if (!fetching) {
      entry.dueAt = this.#options.clock.now() + notYetMs;
      return;
    }
    const trust = this.#options.trust(entry.remote);
    entry.isRunning = true;
    this.#running += 1;
    void fetching
      .then(
        (fetched) => this.#fetched(name, entry, fetched, trust),
        (caught: unknown) => this.#failed(name, entry, FetchFault.from(caught)),
      )
      .finally(() => {
        entry.isRunning = false;
        this.#running -= 1;
        if (entry.policies.size === 0) entry.dueAt = this.#options.clock.now() + unwantedMs;
        else if (this.#options.trust(entry.remote) !== trust) entry.dueAt = this.#options.clock.now();
        this.wake();
      });
  }

  async #fetched(name: string, entry: Entry, fetched: FetchedSet, trust: string): Promise<void> {
    const { keys, discovered, freshMs } = fetched;
    const before = entry.kept ?? this.#known(name);
    const fetchedAt = this.#options.now().toISOString();
    const kept: KeptKeys = { keys, ...(discovered && { discovered }), fetchedAt, ...(trust !== '' && { trust }) };
    entry.backoff.reset();
    entry.dueAt = this.#options.clock.now() + this.#wait(freshOf(entry, freshMs));
    const isNews = before?.keys !== keys || before.failure !== undefined;
    await this.#keep(name, entry, kept, { isNews });
  }

  async #failed(name: string, entry: Entry, fault: FetchFault): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const { failure: before, ...kept } = entry.kept ?? this.#known(name) ?? {};
    entry.dueAt = this.#options.clock.now() + entry.backoff.next();
    const { reason, message } = fault;
    const isNews = before?.reason !== reason || before.message !== message;
    if (!isNews) return this.#report(name, entry, { fault, isNews });
    const since = before?.since ?? this.#options.now().toISOString();
    await this.#keep(name, entry, { ...kept, failure: { reason, message, since } }, { fault, isNews });
  }

  async #keep(
    name: string,
    entry: Entry,
    kept: KeptKeys,
    result: Pick<FetchResult, 'fault' | 'isNews'>,
  ): Promise<void> {
    const { keeper, namespace, clock } = this.#options;
    const place = { namespace, name, source: describePlace(entry.remote) };
    try {
      await keeper.save(keptConfigMap(place, kept, { [credentialsLabel]: 'true' }) as KeysConfigMap);
      entry.kept = kept;
      this.#report(name, entry, result);
    } catch (unkept) {
      entry.dueAt = clock.now() + entry.backoff.next();
      this.#report(name, entry, { ...result, unkept });
    }
  }

  #report(name: string, { remote }: Entry, result: Pick<FetchResult, 'fault' | 'isNews' | 'unkept'>): void {
    this.#options.onResult({ keys: name, place: describePlace(remote), ...result });
  }

  async #forget(name: string): Promise<void> {
    this.#entries.delete(name);
    await this.#options.keeper.remove(name).catch(() => {});
  }

  #wait(ms: number): number {
    return jittered(ms, this.#options.random ?? Math.random);
  }

  #backoff(): Backoff {
    const { random } = this.#options;
    return new Backoff({ ...backoff, ...(random && { random }) });
  }
}

/** How long a set may be used, in milliseconds: as the policy wants that wants it for the shortest time. Without one, as its server says. */
function freshOf({ policies }: Entry, served: number): number {
  const wanted = [...policies.values()].flatMap((ms) => ms ?? []);
  return wanted.length > 0 && wanted.length === policies.size ? Math.min(...wanted) : Math.min(served, ...wanted);
}

const longestFirst = (a: RemoteKeys, b: RemoteKeys): number => (b.freshMs ?? Infinity) - (a.freshMs ?? Infinity) || 0;
