import { isBindError, maybeHeld } from '../../contracts/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import { BindRetries } from '../rejections/bind-retries.ts';
import type { ClientRejection } from '../rejections/rejections.ts';
import { type Batch, type Verdict, wordsOf } from '../rejections/split-rejected.ts';
import type { Channel } from './channel.ts';
import { HeldBack } from './held-back.ts';
import type { Place } from './place.ts';
import type { SessionOptions } from './session-options.ts';
import type { Trials } from './trials.ts';

type Options = Pick<SessionOptions, 'group' | 'observer' | 'clock' | 'variant' | 'bindRetryMs'>;

/** Gives a resource as the client is to have it; what is published no more may be beside a chain that has outlasted it. */
type Find = (place: Place) => EnvoyResource | undefined;

/**
 * What the client of one session rejects. A NACK adds resources, whose origins at fault are searched for; what is *found* is held
 * back from then on, until the client takes it or it is gone. A listener with a bind error is sent again after a while.
 */
export class ClientRejections {
  /** What the client rejects for certain. */
  readonly heldBack: HeldBack;
  readonly #trials: Trials;
  readonly #options: Options;
  readonly #find: Find;
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #bindRetries: BindRetries;
  /** Delta: names of the listeners that the client has. */
  readonly #listeners = new Set<string>();

  constructor(options: Options, channels: ReadonlyMap<string, Channel>, trials: Trials, find: Find) {
    this.#options = options;
    this.#find = find;
    this.#trials = trials;
    this.heldBack = new HeldBack(trials);
    this.#channels = channels;
    this.#bindRetries = new BindRetries(options.bindRetryMs);
  }

  /** The client says that it has these (name → version) from an earlier stream. */
  has({ traits }: Channel, versions: ReadonlyMap<string, string>): void {
    if (traits.queue !== 'listener') return;
    for (const [name, version] of versions) if (version !== maybeHeld) this.#listeners.add(name);
  }

  /** The client took the whole batch. */
  accepted(channel: Channel, batch: Batch, epoch: number): void {
    this.taken(channel, batch, epoch);
    if (channel.traits.queue === 'listener') for (const name of namesIn(batch)) this.#bindRetries.forget(name);
  }

  /** The client has these, so it rejects nothing of them. */
  taken({ traits }: Channel, { upserts, removed }: Batch, epoch: number): void {
    for (const resource of upserts) this.#trials.taken(resource);
    if (this.heldBack.size > 0) for (const resource of upserts) this.#narrow(resource, epoch);
    if (traits.queue !== 'listener') return;
    for (const { name } of upserts) this.#listeners.add(name);
    for (const name of removed) this.#listeners.delete(name);
  }

  /** What the client took is not at fault, wherever it is. Of what it took a resource without, it is offered some again until it is known what is. */
  #narrow(taken: EnvoyResource, epoch: number): void {
    const { relented, places } = this.heldBack.taken(taken);
    this.#relented(relented);
    for (const place of places) this.#putAgain(place, epoch);
    if (this.heldBack.offerSome(taken)) this.#putAgain(taken, epoch);
  }

  #putAgain({ typeUrl, name }: Place, epoch: number): void {
    const whole = this.#find({ typeUrl, name });
    const channel = this.#channels.get(typeUrl);
    if (whole && channel?.subscription.covers(name)) channel.outbox.putAgain(whole, epoch);
  }

  /** The client rejects these, with `error` for all of them. */
  add({ traits, outbox }: Channel, verdict: Verdict, error: string, nowMs: number): void {
    const names = verdict.rejected.map(({ name }) => name);
    const wordsAbout = wordsOf(names, error);
    if (traits.queue === 'listener') this.#retryBinds(verdict, wordsAbout, nowMs);
    for (const resource of verdict.rejected) {
      const taken = outbox.lastTaken(resource.name) ?? this.#options.group.lastTaken(resource);
      outbox.rejections.add(resource, wordsAbout(resource.name), taken);
    }
  }

  /** Holds back what was found since the last time, wherever it is to be sent. */
  found(channel: Channel, epoch: number): void {
    const { observer, clock } = this.#options;
    const found = channel.outbox.rejections.takeFound();
    if (found.length === 0) return;
    const [certain, suspected] = [found.filter((each) => !each.isSuspected), found.filter((each) => each.isSuspected)];
    const news = certain.flatMap((rejection) => this.heldBack.add(rejection, channel.typeUrl, clock()) ?? []);
    for (const together of Map.groupBy(suspected, ({ resource }) => resource).values())
      this.heldBack.suspect(together, channel.typeUrl, clock());
    // What changed while it was searched is rejected no more.
    for (const { resource: name } of found) this.#compare({ typeUrl: channel.typeUrl, name });
    for (const rejection of news) observer.rejected(rejection);
    for (const each of this.#channels.values()) this.#reconsider(each, epoch);
  }

  /** To be called when a round begins: no change says what is to be where nothing is published any more. */
  lookBeside(): void {
    if (this.heldBack.size === 0) return;
    for (const place of this.heldBack.places())
      if (!this.#options.group.get(place.typeUrl, place.name)) this.#compare(place);
  }

  #compare(place: Place): void {
    const { group } = this.#options;
    const now = group.get(place.typeUrl, place.name) ?? this.#find(place);
    this.#relented(this.heldBack.changed(place, now));
  }

  /** Takes in how trials ended. Gives the resources to send again. */
  tried(epoch: number): readonly Place[] {
    const { observer, clock } = this.#options;
    const ended = this.#trials.takeEnded();
    for (const { verdict } of ended) observer.trialEnded(verdict);
    const news = ended.flatMap(({ origin, message, places }) => {
      const [first] = places;
      if (message === undefined || !first) return [];
      return this.heldBack.add({ origin, message, resource: first.name }, first.typeUrl, clock()) ?? [];
    });
    for (const rejection of news) observer.rejected(rejection);
    if (news.length > 0) for (const each of this.#channels.values()) this.#reconsider(each, epoch);
    if (this.#trials.takeChanged()) observer.tried();
    return ended.flatMap(({ places }) => places);
  }

  /** What the resource is from now on; undefined: it is gone, or the client does not want it. */
  changed(place: Place, after: EnvoyResource | undefined): void {
    this.#trials.changed(place, after);
    if (this.heldBack.size > 0) this.#relented(this.heldBack.changed(place, after));
  }

  /** Forgets everything. Gives what is over with that, and the resources to send again. */
  clear(): { readonly cleared: readonly ClientRejection[]; readonly places: readonly Place[] } {
    const cleared = [...this.heldBack.list()];
    const places = this.heldBack.clear();
    for (const { outbox } of this.#channels.values()) places.push(...outbox.forgetRejections());
    return { cleared, places };
  }

  /** Names of listeners with a bind error that are due again. */
  takeDue(nowMs: number): readonly string[] {
    return this.#bindRetries.takeDue(nowMs);
  }

  #retryBinds({ rejected, applied }: Verdict, wordsAbout: (name: string) => string, nowMs: number): void {
    for (const { name } of applied) this.#bindRetries.forget(name);
    for (const { name } of rejected) {
      if (isBindError(wordsAbout(name))) this.#bindRetries.rejected(name, nowMs);
      else this.#bindRetries.forget(name);
    }
  }

  // An agent is not ready while a listener is rejected that it does not have: it must be sent that there is none.
  #reconsider({ outbox, traits }: Channel, epoch: number): void {
    for (const name of outbox.reconsider(epoch)) {
      if (traits.queue === 'listener' && this.#options.variant === 'delta' && !this.#listeners.has(name))
        outbox.putAbsent(name, epoch);
    }
  }

  #relented(rejections: readonly ClientRejection[]): void {
    for (const rejection of rejections) this.#options.observer.relented(rejection);
  }
}

const namesIn = ({ upserts, removed }: Batch): string[] => [...upserts.map(({ name }) => name), ...removed];
