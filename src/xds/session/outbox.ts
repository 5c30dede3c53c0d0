import type { EnvoyResource } from '../../translate/index.ts';
import { Rejections } from '../rejections/rejections.ts';
import { type Batch, splitRejected, type Verdict } from '../rejections/split-rejected.ts';
import { besideOf } from './beside.ts';
import { DelayedRemovals, type Release } from './delayed-removals.ts';
import { FilterChains } from './filter-chains.ts';
import { HeldBack } from './held-back.ts';
import { InFlight } from './in-flight.ts';
import { Pending, type Taken } from './pending.ts';
import { RejectedResources } from './rejected-resources.ts';
import type { TypeTraits } from './type-traits.ts';

/**
 * What one stream still has to be sent of one type, and what it was sent and has not answered.
 *
 * A resource goes `pending` → `inFlight` → accepted, or → rejected (until it changes), or once more into a response when a batch was rejected and it is not
 * known for whom. `pending` holds only the newest of each name, so a slow client has at most one response under way and one version of each resource waiting.
 * A removal may first be one of `removals`.
 *
 * `since` numbers are epochs of publications: they say from which one on the client is behind.
 */
export class Outbox {
  /** What causes each rejection. What it has to send does not concern the client, and holds up no other. */
  readonly rejections = new Rejections();
  readonly inFlight = new InFlight();
  readonly removals = new DelayedRemovals();
  readonly #heldBack: HeldBack;
  /** Filter chains and what is beside them are of this type. */
  readonly #hasChains: boolean;
  readonly #chains: FilterChains;
  readonly #pending: Pending;
  readonly #rejected = new RejectedResources();
  /** Names of what was put because it comes with a chain (besideOf). */
  readonly #beside = new Set<string>();

  constructor(
    traits: Pick<TypeTraits, 'isInner'> & Partial<Pick<TypeTraits, 'queue'>> = { isInner: () => false },
    heldBack = new HeldBack(),
    chains = new FilterChains(),
  ) {
    this.#heldBack = heldBack;
    this.#hasChains = traits.queue === 'extension';
    this.#chains = chains;
    this.#pending = new Pending(traits.isInner, chains);
  }

  /** There is something to send and nothing unanswered. */
  get ready(): boolean {
    return this.inFlight.outstanding === undefined && (this.#hasContent() || this.rejections.waiting);
  }

  /** There is something to send that clusters will lead to, and nothing unanswered. */
  get innerReady(): boolean {
    return this.inFlight.outstanding === undefined && this.#pending.hasInner;
  }

  /** Nothing that clusters will lead to is still to be sent, or unanswered. */
  get innerQuiet(): boolean {
    return !this.#pending.hasInner && !this.inFlight.is('inner');
  }

  /** Nothing to send and nothing unanswered; removals may be held, and rejections be looked into. */
  get quiet(): boolean {
    return (this.inFlight.outstanding === undefined || this.inFlight.is('probe')) && !this.#hasContent();
  }

  /** Some of the held removals may go, as far as the client's filter chains are concerned. */
  get hasRemovals(): boolean {
    return this.removals.names().some((name) => this.#chains.demands.allowsChange(name));
  }

  /** The filter chain of this name, or what is beside it, that the client took last. */
  lastTaken(name: string): EnvoyResource | undefined {
    return this.#hasChains ? this.#chains.held.get(name)?.resource : undefined;
  }

  /** Names and versions the client has rejected. */
  get rejected(): ReadonlyMap<string, { readonly version: string }> {
    return this.#rejected.versions;
  }

  /** The first epoch of which the client has not taken everything of this type; infinite when it has all. */
  get behindSince(): number {
    return Math.min(this.#pending.since, this.inFlight.since, this.#rejected.since, this.#pending.blockedSince);
  }

  /** To be sent, less what the client rejects of it; unless that is all of it and the client did not ask for it by name (`asked`). */
  put(whole: EnvoyResource, since: number, asked = false): void {
    const fitting = this.#chains.fit(whole);
    this.#beside.delete(whole.name);
    for (const beside of besideOf(fitting)) {
      this.put(beside, since);
      this.#beside.add(beside.name);
    }
    if (asked || !this.#chains.holds(fitting)) {
      this.putAsItIs(fitting, since, asked);
    } else {
      this.forget(whole.name);
      this.#chains.remains(fitting);
    }
  }

  /** What the client has of it has changed, or what it rejects of it. What is beside a chain stays so. */
  putAgain(whole: EnvoyResource, since: number): void {
    if (this.#beside.has(whole.name)) this.putAsItIs(this.#chains.fit(whole), since);
    else this.put(whole, since);
  }

  /** Like `put`, but a filter chain goes as it is given: without slots that only the client's former chain has. */
  putAsItIs(whole: EnvoyResource, since: number, asked = false): void {
    this.removals.cancel(whole.name);
    this.#pending.keepTogether(whole.name);
    const offered = this.#heldBack.offer(whole, asked);
    const resource = offered ?? whole;
    if (!asked && (!offered || this.#rejected.has(this.#chains.first(resource)))) this.#pending.delete(resource.name);
    else this.#pending.put(resource, since);
  }

  /** Like `putAsItIs`, unless the resource is to be removed or something newer is to be sent. */
  putNext(resource: EnvoyResource, since: number): void {
    const goes = this.removals.lingers(resource.name) && !this.#beside.has(resource.name);
    if (!goes && !this.#pending.has(resource.name)) this.putAsItIs(resource, since);
  }

  /** Puts aside what fills slots that the client does not have, and takes back what it has got the slots for. */
  sift(): void {
    this.#pending.sift();
  }

  /** To be sent behind all the rest, in a response of its own: others reject it. */
  putApart(resource: EnvoyResource, since: number): void {
    this.#pending.putApart(resource, since);
  }

  /**
   * More is known of what the client rejects: what is to be sent, or was rejected for it, is left out of the rest. Gives the names of
   * which nothing is sent until they change: the client keeps what it has of them.
   */
  reconsider(since: number): string[] {
    for (const resource of this.#pending.resources())
      if (this.#heldBack.offer(resource) !== resource) this.putAgain(resource, since);
    const kept: string[] = [];
    for (const resource of this.#rejected.resources()) {
      const { name } = resource;
      const offered = this.#heldBack.offer(resource);
      if (offered === resource) continue;
      if (!offered) kept.push(name);
      this.#taken(name);
      if (offered && !this.#pending.has(name)) this.putAgain(offered, since);
    }
    return kept;
  }

  /** What the client rejected may be sent again. Gives the resources. */
  forgetRejections(): EnvoyResource[] {
    const resources = this.#rejected.resources();
    for (const { name } of resources) this.#taken(name);
    return resources;
  }

  /** To be reported as not existing. */
  putAbsent(name: string, since: number): void {
    this.removals.cancel(name);
    this.#pending.putAbsent(name, since);
  }

  /** To be reported as gone, but not yet. `resource` is what the client has, if we know it. */
  holdRemoval(name: string, resource: EnvoyResource | undefined): void {
    this.#pending.delete(name);
    this.removals.hold(name, resource);
  }

  /** To be reported as gone, in some time. */
  linger(name: string): void {
    if (!this.#beside.has(name)) {
      this.#pending.delete(name);
      this.#chains.unwanted(name);
    }
    this.removals.linger(name);
  }

  /** Lets those go that have lingered for long enough and are not needed elsewhere; whether there were any. To be called now and then. */
  releaseLingering({ nowMs, lingerMs, since, isNeeded }: Release): boolean {
    const due = this.removals.takeDue(nowMs, lingerMs, isNeeded);
    for (const name of due)
      if (this.#chains.held.leadsTo(name)) this.removals.linger(name);
      else this.putAbsent(name, since);
    return due.length > 0;
  }

  /** Lets the held removals go that may go. */
  releaseRemovals(since: number): void {
    for (const name of [...this.removals.names()])
      if (this.#chains.demands.allowsChange(name)) this.putAbsent(name, since);
  }

  /** An answer is due, even an empty one. */
  requireAnswer(since: number): void {
    this.#pending.requireAnswer(since);
  }

  /** The client does not want it any more, or has it. */
  forget(name: string): void {
    this.#pending.delete(name);
    this.removals.cancel(name);
    this.#taken(name);
  }

  /** All of it may go together. */
  mix(): void {
    this.#pending.mix();
  }

  /** Takes the next response's content out, at most about `maxBytes` (but at least one resource): what clusters will lead to by itself. */
  take(maxBytes: number): Batch {
    const renewal = this.#renewal();
    if (renewal) {
      this.inFlight.take('renewal');
      return { upserts: [renewal], removed: [] };
    }
    if (this.#pending.hasInner) return this.#takeNews('inner', this.#pending.takeInner(maxBytes));
    const retry = this.#takeRetry();
    if (retry) {
      this.inFlight.take('retry');
      return this.#sending(retry);
    }
    const probe = this.rejections.take(this.#pending.hasAny);
    if (probe) {
      this.inFlight.take('probe');
      return probe;
    }
    if (this.#pending.hasOnlyApart) this.#takeApart();
    return this.#takeNews('news', this.#pending.take(maxBytes));
  }

  #takeApart(): void {
    const { since } = this.#pending;
    for (const resource of this.#pending.apart()) this.put(resource, since);
  }

  #takeNews(purpose: 'news' | 'inner', { batch, since }: Taken): Batch {
    this.inFlight.take(purpose, since);
    return this.#sending(batch);
  }

  #sending({ upserts, removed }: Batch): Batch {
    return { upserts: upserts.map((resource) => this.#chains.sending(resource)), removed };
  }

  /** The client took the outstanding batch. */
  accept(): void {
    const isRenewal = this.inFlight.is('renewal');
    const { batch } = this.inFlight.answered();
    if (isRenewal) return;
    for (const { name } of batch.upserts) this.#taken(name);
    for (const name of batch.removed) this.#taken(name);
    this.inFlight.accepted();
  }

  /** The client rejected it: see splitRejected. */
  reject(message: string, partial: boolean): Verdict {
    const { batch } = this.inFlight.answered();
    const verdict = splitRejected(batch, message, partial);
    this.#chains.rejected(batch.upserts, verdict);
    for (const resource of verdict.rejected) this.#rejected.add(resource, this.inFlight.since);
    for (const { name } of verdict.applied) this.#taken(name);
    if (partial) for (const name of batch.removed) this.#taken(name);
    this.inFlight.rejected(verdict.retries);
    return verdict;
  }

  /** The client answered a probe. */
  probed(error: string | undefined): void {
    this.inFlight.answered();
    this.rejections.answered(error);
  }

  /** The client has nothing against the name any more. */
  #taken(name: string): void {
    this.#rejected.delete(name);
    this.rejections.drop(name);
  }

  // What has changed since is in `pending`, which goes out next.
  #takeRetry(): Batch | undefined {
    const isStale = (name: string): boolean => this.#pending.has(name) || this.removals.holds(name);
    return this.inFlight.retries.take({ isStale, offer: (resource) => this.#heldBack.offer(resource) });
  }

  #renewal(): EnvoyResource | undefined {
    return this.#hasChains ? this.#chains.renewals.next((name) => this.#pending.has(name)) : undefined;
  }

  #hasContent(): boolean {
    return this.#pending.hasAny || this.inFlight.retries.hasAny || this.#renewal() !== undefined;
  }
}
