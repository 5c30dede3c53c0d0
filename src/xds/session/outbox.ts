import type { EnvoyResource } from '../../translate/index.ts';
import { Rejections } from '../rejections/rejections.ts';
import { type Batch, splitRejected, type Verdict } from '../rejections/split-rejected.ts';
import { FilterChains } from './filter-chains.ts';
import { HeldBack } from './held-back.ts';
import { Lingering } from './lingering.ts';
import type { TypeTraits } from './type-traits.ts';
import { deltaSize } from './wire.ts';

/** A response that waits for its answer. */
export interface Outstanding {
  readonly nonce: string;
  /** Id of the snapshot it belongs to. */
  readonly snapshot: string;
  readonly batch: Batch;
  readonly sentAtMs: number;
}

type OutboxTraits = Pick<TypeTraits, 'isInner'>;

/** What the client does not have, and since which epoch. */
interface Rejection {
  readonly version: string;
  readonly resource: EnvoyResource;
  readonly since: number;
}

/**
 * What one stream still has to be sent of one type, and what it was sent and has not answered.
 *
 * A resource goes `pending` → `outstanding` → accepted, or → rejected (until it changes), or → `retries` when a batch was
 * rejected and it is not known for whom. `pending` holds only the newest of each name, so a slow client has at most one
 * response under way and one version of each resource waiting. A removal is first `held`, until whatever may still use
 * the resource is out of the way, or it lingers for some time.
 *
 * `since` numbers are epochs of publications: they say from which one on the client is behind.
 */
export class Outbox {
  /** What causes each rejection. What it has to send does not concern the client, and holds up no other. */
  readonly rejections = new Rejections();
  readonly #pending = new Map<string, EnvoyResource | undefined>();
  readonly #lingering = new Lingering();
  readonly #traits: OutboxTraits;
  readonly #heldBack: HeldBack;
  readonly #chains: FilterChains;
  /** Of `#pending`, what fills slots of filter chains, and was not held against them yet. */
  readonly #unsifted = new Set<string>();
  /** What fills slots that the client does not have: it waits for these, and holds up nothing else. */
  readonly #blocked = new Map<string, Rejection>();
  /** Of `#pending`, what goes before clusters do. */
  readonly #inner = new Set<string>();
  /** Of `#pending`, what goes behind the rest. */
  readonly #last = new Set<string>();
  /** Some of the last batch was `#inner`. */
  #sentInner = false;
  /** What waits for the rest to be answered. */
  readonly #apart = new Map<string, EnvoyResource>();
  readonly #held = new Map<string, EnvoyResource | undefined>();
  readonly #rejected = new Map<string, Rejection>();
  #retries: Batch[] = [];
  #outstanding: Outstanding | undefined;
  /** The batch that was taken last is one of `rejections`. */
  #probing = false;
  #mustAnswer = false;
  #pendingSince = Number.POSITIVE_INFINITY;
  #sentSince = Number.POSITIVE_INFINITY;

  constructor(traits: OutboxTraits = { isInner: () => false }, heldBack = new HeldBack(), chains = new FilterChains()) {
    this.#traits = traits;
    this.#heldBack = heldBack;
    this.#chains = chains;
  }

  get outstanding(): Outstanding | undefined {
    return this.#outstanding;
  }

  /** There is something to send and nothing unanswered. */
  get ready(): boolean {
    return this.#outstanding === undefined && (this.#hasContent() || this.rejections.waiting);
  }

  /** There is something to send that clusters will lead to, and nothing unanswered. */
  get innerReady(): boolean {
    return this.#outstanding === undefined && this.#inner.size > 0;
  }

  /** Of that nothing is to send or unanswered. */
  get innerQuiet(): boolean {
    return this.#inner.size === 0 && (this.#outstanding === undefined || !this.#sentInner);
  }

  /** Nothing to send and nothing unanswered; removals may be held, and rejections be looked into. */
  get quiet(): boolean {
    return (this.#outstanding === undefined || this.#probing) && !this.#hasContent();
  }

  /** What is outstanding is a probe. */
  get probing(): boolean {
    return this.#outstanding !== undefined && this.#probing;
  }

  get holdsRemovals(): boolean {
    return this.#held.size > 0;
  }

  /** Names and versions the client has rejected. */
  get rejected(): ReadonlyMap<string, { readonly version: string }> {
    return this.#rejected;
  }

  /** The first epoch of which the client has not taken everything of this type; infinite when it has all. */
  get behindSince(): number {
    let since = Math.min(this.#pendingSince, this.#sentSince);
    for (const rejection of this.#rejected.values()) since = Math.min(since, rejection.since);
    for (const blocked of this.#blocked.values()) since = Math.min(since, blocked.since);
    return since;
  }

  /** The resource whose removal is held, if so. */
  held(name: string): EnvoyResource | undefined {
    return this.#held.get(name);
  }

  /** To be sent, less what the client rejects of it; unless that is all of it and the client did not ask for it by name (`asked`). */
  put(whole: EnvoyResource, since: number, asked = false): void {
    const fitting = this.#chains.fit(whole);
    if (!asked && this.#chains.holds(fitting)) this.#unqueue(whole.name);
    else this.putAsItIs(fitting, since, asked);
  }

  /** The same of a filter chain that may lose slots. */
  putAsItIs(whole: EnvoyResource, since: number, asked = false): void {
    this.#held.delete(whole.name);
    this.#lingering.delete(whole.name);
    this.#apart.delete(whole.name);
    this.#blocked.delete(whole.name);
    const offered = this.#heldBack.offer(whole);
    const resource = offered ?? whole;
    if (!asked && (!offered || this.#rejected.get(resource.name)?.version === resource.version)) {
      this.#unqueue(resource.name);
      return;
    }
    this.#enqueue(resource, since);
  }

  #enqueue(resource: EnvoyResource, since: number): void {
    this.#pending.set(resource.name, resource);
    if (resource.needs) this.#unsifted.add(resource.name);
    if (this.#traits.isInner(resource.name)) this.#inner.add(resource.name);
    if (resource.continues) this.#last.add(resource.name);
    this.#pendingSince = Math.min(this.#pendingSince, since);
  }

  /** Puts aside what fills slots that the client does not have, and takes back what it has got the slots for. */
  sift(): void {
    for (const [name, { resource, since }] of this.#blocked) {
      if (!this.#chains.allows(resource)) continue;
      this.#blocked.delete(name);
      this.#enqueue(resource, since);
    }
    for (const name of this.#unsifted) {
      const resource = this.#pending.get(name);
      if (resource && !this.#chains.allows(resource)) this.#block(resource);
    }
    this.#unsifted.clear();
  }

  #block(resource: EnvoyResource): void {
    const { name, version } = resource;
    this.#blocked.set(name, { version, resource, since: this.#pendingSince });
    this.#pending.delete(name);
    this.#forgetPlace(name);
    this.#closePending();
  }

  /** To be sent behind all the rest, in a response of its own: others reject it. */
  putApart(resource: EnvoyResource, since: number): void {
    this.#apart.set(resource.name, resource);
    this.#pendingSince = Math.min(this.#pendingSince, since);
  }

  /**
   * More is known of what the client rejects: what is to be sent, or was rejected for it, is left out of the rest. Gives the names of
   * which nothing is sent until they change: the client keeps what it has of them.
   */
  reconsider(since: number): string[] {
    for (const resource of [...this.#pending.values()])
      if (resource && this.#heldBack.offer(resource) !== resource) this.put(resource, since);
    const kept: string[] = [];
    for (const [name, { resource }] of [...this.#rejected]) {
      const offered = this.#heldBack.offer(resource);
      if (offered === resource) continue;
      if (!offered) kept.push(name);
      this.#taken(name);
      if (offered && !this.#pending.has(name)) this.put(offered, since);
    }
    return kept;
  }

  /** What the client rejected may be sent again. Gives the resources. */
  forgetRejections(): EnvoyResource[] {
    const resources = [...this.#rejected.values()].map(({ resource }) => resource);
    for (const { name } of resources) this.#taken(name);
    return resources;
  }

  /** To be reported as not existing. */
  putAbsent(name: string, since: number): void {
    this.#held.delete(name);
    this.#lingering.delete(name);
    this.#forgetPlace(name);
    this.#apart.delete(name);
    this.#blocked.delete(name);
    this.#pending.set(name, undefined);
    this.#pendingSince = Math.min(this.#pendingSince, since);
  }

  /** To be reported as gone, but not yet. `resource` is what the client has, if we know it. */
  holdRemoval(name: string, resource: EnvoyResource | undefined): void {
    this.#unqueue(name);
    this.#held.set(name, resource);
  }

  /** To be reported as gone, in some time. */
  linger(name: string): void {
    this.#unqueue(name);
    this.#lingering.add(name);
  }

  /** Lets those go that have lingered for long enough; whether there were any. To be called now and then. */
  releaseLingering(nowMs: number, lingerMs: number, since: number): boolean {
    const due = this.#lingering.takeDue(nowMs, lingerMs);
    for (const name of due) this.putAbsent(name, since);
    return due.length > 0;
  }

  /** Lets the held removals go. */
  releaseRemovals(since: number): void {
    for (const name of [...this.#held.keys()]) this.putAbsent(name, since);
  }

  /** An answer is due, even an empty one. */
  requireAnswer(since: number): void {
    this.#mustAnswer = true;
    this.#pendingSince = Math.min(this.#pendingSince, since);
  }

  /** The client does not want it any more. */
  forget(name: string): void {
    this.#unqueue(name);
    this.#held.delete(name);
    this.#lingering.delete(name);
    this.#taken(name);
  }

  /** All of it may go together. */
  mix(): void {
    this.#inner.clear();
  }

  /** Takes the next response's content out, at most about `maxBytes` (but at least one resource): what clusters will lead to by itself. */
  take(maxBytes: number): Batch {
    this.#sentInner = this.#inner.size > 0;
    this.#probing = false;
    if (this.#sentInner) return this.#takePending(maxBytes, [...this.#inner]);
    const retry = this.#takeRetry();
    const probe = retry === undefined ? this.rejections.take(this.#hasPending()) : undefined;
    this.#probing = probe !== undefined;
    const first = retry ?? probe;
    if (first !== undefined) return first;
    if (this.#pending.size === 0) this.#takeApart();
    return this.#takePending(maxBytes, this.#inOrder());
  }

  #takeApart(): void {
    const since = this.#pendingSince;
    for (const resource of [...this.#apart.values()]) this.put(resource, since);
  }

  #inOrder(): Iterable<string> {
    if (this.#last.size === 0) return this.#pending.keys();
    return [...[...this.#pending.keys()].filter((name) => !this.#last.has(name)), ...this.#last];
  }

  #takePending(maxBytes: number, names: Iterable<string>): Batch {
    const upserts: EnvoyResource[] = [];
    const removed: string[] = [];
    let bytes = 0;
    for (const name of names) {
      const resource = this.#pending.get(name);
      if (resource && !this.#chains.allows(resource)) {
        this.#block(resource);
        continue;
      }
      bytes += resource === undefined ? name.length : deltaSize(resource);
      if (bytes > maxBytes && upserts.length + removed.length > 0) break;
      if (resource === undefined) removed.push(name);
      else upserts.push(resource);
      this.#pending.delete(name);
      this.#forgetPlace(name);
    }
    this.#mustAnswer = false;
    this.#sentSince = Math.min(this.#sentSince, this.#pendingSince);
    this.#closePending();
    return { upserts, removed };
  }

  sent(outstanding: Outstanding): void {
    this.#outstanding = outstanding;
  }

  /** The client took the outstanding batch. */
  accept(): void {
    const { batch } = this.#answered();
    for (const { name } of batch.upserts) this.#taken(name);
    for (const name of batch.removed) this.#taken(name);
    this.#closeSent();
  }

  /** The client rejected it: see splitRejected. */
  reject(message: string, partial: boolean): Verdict {
    const { batch } = this.#answered();
    const verdict = splitRejected(batch, message, partial);
    for (const resource of verdict.rejected) this.#rejected.set(resource.name, this.#rejection(resource));
    for (const { name } of verdict.applied) this.#taken(name);
    if (partial) for (const name of batch.removed) this.#taken(name);
    this.#retries.push(...verdict.retries);
    this.#closeSent();
    return verdict;
  }

  /** The client answered a probe. */
  probed(error: string | undefined): void {
    this.#answered();
    this.rejections.answered(error);
  }

  /** The client has nothing against the name any more. */
  #taken(name: string): void {
    this.#rejected.delete(name);
    this.rejections.drop(name);
  }

  #rejection(resource: EnvoyResource): Rejection {
    const { name, version } = resource;
    const before = this.#rejected.get(name)?.since ?? Number.POSITIVE_INFINITY;
    return { version, resource, since: Math.min(before, this.#sentSince) };
  }

  #answered(): Outstanding {
    const outstanding = this.#outstanding;
    if (outstanding === undefined) throw new Error('nothing was sent that could be answered');
    this.#outstanding = undefined;
    return outstanding;
  }

  #closeSent(): void {
    if (this.#retries.length === 0) this.#sentSince = Number.POSITIVE_INFINITY;
  }

  // What has changed since is in `pending`, which goes out next.
  #takeRetry(): Batch | undefined {
    const stale = (name: string): boolean => this.#pending.has(name) || this.#held.has(name);
    for (let retry = this.#retries.shift(); retry !== undefined; retry = this.#retries.shift()) {
      const upserts = retry.upserts
        .filter(({ name }) => !stale(name))
        .flatMap((each) => this.#heldBack.offer(each) ?? []);
      const removed = retry.removed.filter((name) => !stale(name));
      if (upserts.length + removed.length > 0) return { upserts, removed };
    }
    return undefined;
  }

  #unqueue(name: string): void {
    this.#blocked.delete(name);
    this.#pending.delete(name);
    this.#apart.delete(name);
    this.#forgetPlace(name);
    this.#closePending();
  }

  #forgetPlace(name: string): void {
    this.#unsifted.delete(name);
    this.#inner.delete(name);
    this.#last.delete(name);
  }

  #closePending(): void {
    if (!this.#hasPending()) this.#pendingSince = Number.POSITIVE_INFINITY;
  }

  #hasPending(): boolean {
    return this.#pending.size > 0 || this.#apart.size > 0 || this.#mustAnswer;
  }

  #hasContent(): boolean {
    return this.#hasPending() || this.#retries.length > 0;
  }
}
