import { isBindError } from '../../contracts/index.ts';
import { typeUrls } from '../../envoy/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { Nack } from '../nodes/node-event.ts';
import { BindRetries } from '../rejections/bind-retries.ts';
import type { ClientRefusal } from '../rejections/refusals.ts';
import { type Batch, type Verdict, wordsOf } from '../rejections/split-rejected.ts';
import { type Channel, DeltaChannel, SotwChannel, type Variant } from './channel.ts';
import { fillAnswer, fillChanges, nothingAsked, noVersions } from './fill-outbox.ts';
import { Gate } from './gate.ts';
import { HeldBack } from './held-back.ts';
import { ManifestFlow } from './manifest-flow.ts';
import type { Edition, GroupMember, ResourceChange, ResourceGroup } from './resource-group.ts';
import type { Asked } from './subscription.ts';
import { View } from './view.ts';

/** A request of either variant, in one form. */
export interface SessionRequest {
  readonly typeUrl: string;
  readonly nonce: string;
  /** Why the last response was refused. */
  readonly error?: string;
  /** SotW: all names. */
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** Delta: what the client has from an earlier stream, name → version. */
  readonly initialVersions: ReadonlyMap<string, string>;
}

/** One response to write. */
export interface Push {
  readonly typeUrl: string;
  readonly nonce: string;
  /** Id of the snapshot it belongs to. */
  readonly snapshot: string;
  readonly bytes: Buffer;
  readonly resources: number;
}

/** Is told what a client's answers mean. */
export interface SessionObserver {
  acked(answer: {
    readonly typeUrl: string;
    readonly snapshot: string;
    readonly nonce: string;
    readonly ms: number;
  }): void;
  nacked(nack: Nack, ms: number): void;
  /** It is known what the client refuses, and why. Later than the NACK where it had to be searched for. */
  refused(refusal: ClientRefusal): void;
  /** It does not refuse this any more: it took it, or it is gone. */
  relented(refusal: ClientRefusal): void;
  /** The client has taken everything up to and including this snapshot. */
  applied(snapshot: string): void;
}

export interface SessionOptions {
  readonly variant: Variant;
  readonly group: ResourceGroup;
  /** The newest edition for the group; not called before the group's first publication. */
  readonly newest: () => Edition;
  /** The client says it is an agent: it has applied nothing before it acknowledged a manifest. */
  readonly wantsManifest: boolean;
  /** Delta: about how big a response may get. */
  readonly maxResponseBytes: number;
  /**
   * The same for a stream's first response with routes. Envoy opens its listeners with the first one, so what comes in a
   * second one is answered 404 for a moment.
   */
  readonly maxFirstRoutesBytes: number;
  /** How long to wait before a listener whose port was taken is sent again; each time twice as long, up to twelve times. */
  readonly bindRetryMs: number;
  /** How long what requests may still use stays with the client after it has gone; see TypeTraits.lingers. */
  readonly lingerMs: number;
  readonly observer: SessionObserver;
  readonly clock: () => Date;
}

/**
 * The conversation on one stream, without the stream: requests and changes go in, responses come out. Synchronous.
 *
 * States: *waiting* until the group has a first publication (nothing is answered: an empty answer would take everything
 * from an Envoy that reconnects to a control plane that has just begun to look around); then *begun*, going from round to
 * round (see Gate). A round takes its contents from one View; what changes meanwhile waits, newest only, for the next.
 */
export class Session implements GroupMember {
  readonly #options: SessionOptions;
  readonly #channels = new Map<string, Channel>();
  readonly #gate = new Gate();
  readonly #manifests: ManifestFlow;
  readonly #bindRetries: BindRetries;
  /** While waiting: what each channel's client has from an earlier stream. */
  readonly #early = new Map<Channel, ReadonlyMap<string, string>>();
  /** What the client refuses for certain. */
  readonly #heldBack = new HeldBack();
  /** Delta: names of the listeners that the client has. */
  readonly #listeners = new Set<string>();
  #earlyNames = 0;
  #earlyText = 0;
  #view: View | undefined;
  #lastNonce = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#bindRetries = new BindRetries(options.bindRetryMs);
    this.#manifests = new ManifestFlow(options.wantsManifest, (snapshot) => options.observer.applied(snapshot));
  }

  /** Type URLs asked for, in the order of asking. */
  get subscriptions(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** What the client has us remember: how many names, and how much text they are. */
  get held(): { readonly names: number; readonly text: number } {
    let [names, text] = [this.#earlyNames, this.#earlyText];
    for (const { subscription } of this.#channels.values()) {
      names += subscription.names.size;
      text += subscription.textLength;
    }
    return { names, text };
  }

  /** The client refuses a resource, at the version we have. */
  get rejects(): boolean {
    return this.#channels.values().some(({ outbox }) => outbox.rejected.size > 0);
  }

  /** What the client refuses for certain, and is not sent. */
  get refusals(): Iterable<ClientRefusal> {
    return this.#heldBack.list();
  }

  /** Sends what the client refused once more, as if it had not. What it causes to be sent comes out of `next`. */
  offerAgain(): void {
    if (this.#view === undefined) return;
    const { epoch } = this.#view.edition;
    const cleared = [...this.#heldBack.list()];
    const places = this.#heldBack.clear();
    for (const { outbox } of this.#channels.values()) places.push(...outbox.forgetRejections());
    for (const { typeUrl, name } of places) {
      const resource = this.#options.group.get(typeUrl, name);
      if (resource) this.#channels.get(typeUrl)?.outbox.put(resource, epoch, true);
    }
    for (const refusal of cleared) this.#options.observer.relented(refusal);
  }

  /** Since when (milliseconds) the oldest response waits for its answer; infinite when none does. */
  get waitingSinceMs(): number {
    let since = Number.POSITIVE_INFINITY;
    for (const { outbox } of this.#channels.values()) {
      since = Math.min(since, outbox.outstanding?.sentAtMs ?? Number.POSITIVE_INFINITY);
    }
    return since;
  }

  /** Takes a request in. What it causes to be sent comes out of `next`. */
  request(request: SessionRequest, nowMs: number): void {
    const known = this.#channels.get(request.typeUrl);
    const channel = known ?? this.#open(request.typeUrl);
    if (this.#options.variant === 'delta') this.#deltaRequest(channel, request, nowMs);
    else this.#sotwRequest(channel, request, known === undefined, nowMs);
  }

  /** The group changed (GroupMember). */
  changed(change: ResourceChange, epoch: number): void {
    if (this.#view === undefined) return;
    if (this.#heldBack.size > 0) this.#relented(this.#heldBack.changed(change, change.after));
    const channel = this.#channels.get(change.typeUrl);
    const { after } = change;
    const atOnce = after !== undefined && channel?.traits.lane === 'free';
    if (!atOnce) this.#view.note(change);
    else if (channel.subscription.covers(after.name)) channel.outbox.put(after, epoch);
  }

  /** Looks at the clock. True: there is something to send. */
  tick(nowMs: number): boolean {
    const released = this.#releaseLingering(nowMs);
    return this.#retry(nowMs) || released;
  }

  // Not in the middle of a round, whose routes may not have let go of them yet.
  #releaseLingering(nowMs: number): boolean {
    if (this.#view === undefined || !this.#gate.finished) return false;
    const { epoch } = this.#view.edition;
    const { lingerMs } = this.#options;
    return (
      [...this.#channels.values()].filter(({ outbox }) => outbox.releaseLingering(nowMs, lingerMs, epoch)).length > 0
    );
  }

  /** Puts listeners up again whose port was taken, when it is time. */
  #retry(nowMs: number): boolean {
    const names = this.#bindRetries.takeDue(nowMs);
    const channel = this.#channels.get(typeUrls.listener);
    if (names.length === 0 || channel === undefined || this.#view === undefined) return false;
    fillAnswer(this.#stock(this.#view), channel, { ...nothingAsked, names });
    return true;
  }

  /** The next response that may be sent now. To be called again until there is none. */
  next(nowMs: number): Push | undefined {
    const view = this.#view ?? this.#begin();
    if (view === undefined) return undefined;
    for (;;) {
      const channel = this.#gate.next() ?? this.#nextManifest();
      if (channel !== undefined) return this.#push(channel, nowMs);
      if (!this.#turn()) return undefined;
    }
  }

  #open(typeUrl: string): Channel {
    const { group, variant } = this.#options;
    const intern = (name: string): string => group.get(typeUrl, name)?.name ?? name;
    const channel =
      variant === 'delta'
        ? new DeltaChannel(typeUrl, intern, this.#heldBack)
        : new SotwChannel(typeUrl, intern, this.#heldBack);
    this.#channels.set(typeUrl, channel);
    this.#gate.add(channel);
    if (this.#view !== undefined && channel.traits.lane !== 'manifest')
      this.#manifests.reopen(this.#view.edition.epoch);
    return channel;
  }

  // A nonce that is not the last one's says nothing of it; what a request (un)subscribes counts in any case.
  #deltaRequest(channel: Channel, request: SessionRequest, nowMs: number): void {
    const { nonce, initialVersions } = request;
    if (nonce !== '' && nonce === channel.outbox.outstanding?.nonce) this.#answered(channel, request.error, nowMs);
    const asked = channel.subscription.applyDelta(request, channel.traits.wildcardByDefault);
    this.#fill(channel, asked, initialVersions);
  }

  // A stale nonce voids the whole request: the client will repeat it with the newest one (xDS protocol, "Resource updates").
  #sotwRequest(channel: Channel, request: SessionRequest, first: boolean, nowMs: number): void {
    if (!first && request.nonce !== channel.lastNonce) return;
    const answers = !first && channel.outbox.outstanding !== undefined;
    if (answers) this.#answered(channel, request.error, nowMs);
    const asked = channel.subscription.applySotw(request.subscribe, channel.traits.wildcardByDefault);
    this.#fill(channel, first || answers ? asked : askedAgain(channel, asked), noVersions);
  }

  #answered(channel: Channel, error: string | undefined, nowMs: number): void {
    const { observer, group } = this.#options;
    const { typeUrl, outbox, traits } = channel;
    const { batch, nonce, snapshot, sentAtMs } = outbox.outstanding!;
    const ms = nowMs - sentAtMs;
    if (outbox.probing) {
      this.#probed(channel, error);
      return;
    }
    if (error === undefined) {
      outbox.accept();
      channel.accepted(batch);
      this.#taken(channel, batch);
      for (const resource of batch.upserts) group.taken(resource);
      if (traits.lane === 'listener') for (const name of namesIn(batch)) this.#bindRetries.forget(name);
      observer.acked({ typeUrl, snapshot, nonce, ms });
      if (traits.lane === 'manifest' && batch.upserts.length > 0) this.#manifests.acknowledged(snapshot);
      return;
    }
    const verdict = outbox.reject(error, traits.partialNack);
    channel.refused(batch, verdict);
    this.#taken(channel, { upserts: verdict.applied, removed: traits.partialNack ? batch.removed : [] });
    const certain = verdict.rejected.length > 0;
    const resources = (certain ? verdict.rejected : batch.upserts).map(({ name, version }) => ({ name, version }));
    observer.nacked({ typeUrl, nonce, snapshot, message: error, resources, certain }, ms);
    const wordsAbout = wordsOf(
      verdict.rejected.map(({ name }) => name),
      error,
    );
    if (traits.lane === 'listener') this.#listenersRefused(verdict, wordsAbout, nowMs);
    for (const resource of verdict.rejected)
      outbox.refusals.add(resource, wordsAbout(resource.name), group.lastTaken(resource));
    this.#found(channel);
  }

  /** The client has these, so it refuses nothing of them. */
  #taken({ traits }: Channel, { upserts, removed }: Batch): void {
    if (this.#heldBack.size > 0) for (const resource of upserts) this.#relented(this.#heldBack.taken(resource));
    if (traits.lane !== 'listener') return;
    for (const { name } of upserts) this.#listeners.add(name);
    for (const name of removed) this.#listeners.delete(name);
  }

  /** Holds back what was found since the last time, wherever it is to be sent. */
  #found(channel: Channel): void {
    const { observer, clock, group } = this.#options;
    const found = channel.outbox.refusals.takeFound();
    if (found.length === 0) return;
    const news = found.flatMap((refusal) => this.#heldBack.add(refusal, channel.typeUrl, clock()) ?? []);
    // What changed while it was looked for is refused no more.
    for (const { resource: name } of found)
      this.#relented(this.#heldBack.changed({ typeUrl: channel.typeUrl, name }, group.get(channel.typeUrl, name)));
    for (const refusal of news) observer.refused(refusal);
    for (const each of this.#channels.values()) this.#reconsider(each);
  }

  // An agent is not ready while a listener is refused that it has not: it has to hear that there is none.
  #reconsider({ outbox, traits }: Channel): void {
    const { epoch } = this.#view!.edition;
    for (const name of outbox.reconsider(epoch)) {
      if (traits.lane === 'listener' && this.#options.variant === 'delta' && !this.#listeners.has(name))
        outbox.putAbsent(name, epoch);
    }
  }

  #relented(refusals: readonly ClientRefusal[]): void {
    for (const refusal of refusals) this.#options.observer.relented(refusal);
  }

  #listenersRefused({ rejected, applied }: Verdict, wordsAbout: (name: string) => string, nowMs: number): void {
    for (const { name } of applied) this.#bindRetries.forget(name);
    for (const { name } of rejected) {
      if (isBindError(wordsAbout(name))) this.#bindRetries.refused(name, nowMs);
      else this.#bindRetries.forget(name);
    }
  }

  // The client's state is what it was told before: an answer to a probe says nothing of that.
  #probed(channel: Channel, error: string | undefined): void {
    const { batch } = channel.outbox.outstanding!;
    channel.outbox.probed(error);
    if (error === undefined) channel.accepted(batch);
    this.#found(channel);
  }

  #fill(channel: Channel, asked: Asked, has: ReadonlyMap<string, string>): void {
    for (const name of asked.dropped) {
      channel.outbox.forget(name);
      channel.dropped(name);
      this.#relented(this.#heldBack.changed({ typeUrl: channel.typeUrl, name }, undefined));
    }
    if (channel.traits.lane === 'listener') for (const name of has.keys()) this.#listeners.add(name);
    if (this.#view === undefined) {
      this.#keepEarly(channel, has);
      return;
    }
    if (channel.traits.lane !== 'manifest') fillAnswer(this.#stock(this.#view), channel, asked, has);
    else if (asked.everything || asked.names.length > 0) this.#manifests.asked(channel, [...has.values()][0]);
  }

  #keepEarly(channel: Channel, has: ReadonlyMap<string, string>): void {
    if (this.#early.has(channel)) return;
    this.#early.set(channel, has);
    this.#earlyNames += has.size;
    for (const [name, version] of has) this.#earlyText += name.length + version.length;
  }

  /** From waiting to begun, if the group is there. */
  #begin(): View | undefined {
    const { group, newest } = this.#options;
    if (!group.published) return undefined;
    this.#view = new View(group, newest());
    for (const [channel, has] of this.#early) this.#fill(channel, allOf(channel), has);
    this.#early.clear();
    this.#earlyNames = 0;
    this.#earlyText = 0;
    return this.#view;
  }

  /** The next step, or the next round; false when there is neither. */
  #turn(): boolean {
    const before = this.#view!;
    if (this.#gate.advance(before.edition.epoch)) return true;
    if (!this.#gate.finished) return false;
    const newest = this.#options.newest();
    if (newest.epoch === before.edition.epoch) return false;
    this.#view = new View(this.#options.group, newest);
    for (const [typeUrl, names] of before.changed) {
      const channel = this.#channels.get(typeUrl);
      if (channel !== undefined) fillChanges(this.#stock(this.#view), channel, names);
    }
    return true;
  }

  #push(channel: Channel, nowMs: number): Push {
    const { typeUrl, outbox, traits } = channel;
    const batch = outbox.take(this.#limit(channel));
    const nonce = String(++this.#lastNonce);
    const manifest = traits.lane === 'manifest' ? batch.upserts[0]?.version : undefined;
    const snapshot = manifest ?? this.#view!.edition.manifest.id;
    outbox.sent({ nonce, snapshot, batch, sentAtMs: nowMs });
    channel.lastNonce = nonce;
    if (traits.lane === 'cluster') this.#followWithEndpoints(batch.upserts);
    return { typeUrl, nonce, snapshot, bytes: channel.encode(batch, nonce, snapshot), resources: batch.upserts.length };
  }

  #limit({ traits, lastNonce }: Channel): number {
    const { variant, maxResponseBytes, maxFirstRoutesBytes } = this.#options;
    if (variant === 'sotw') return Number.POSITIVE_INFINITY;
    return traits.lane === 'route' && lastNonce === '' ? maxFirstRoutesBytes : maxResponseBytes;
  }

  // Delta: an Envoy that has the endpoints of a changed cluster does not ask again, yet waits for them. SotW: it asks.
  #followWithEndpoints(clusters: readonly EnvoyResource[]): void {
    const channel = this.#channels.get(typeUrls.endpoint);
    if (channel === undefined || this.#options.variant === 'sotw') return;
    const names = clusters.map(({ name }) => name).filter((name) => channel.subscription.covers(name));
    fillAnswer(this.#stock(this.#view!), channel, { ...nothingAsked, names });
  }

  // Looked at before the next round begins, so that a manifest is not told while the client is halfway to the next snapshot.
  #nextManifest(): Channel | undefined {
    if (this.#gate.finished) this.#manifests.finished(this.#view!.edition);
    if (this.#complete()) this.#manifests.settle(this.#gate.behindSince);
    const channel = this.#channels.get(typeUrls.snapshot);
    return channel?.outbox.ready ? channel : undefined;
  }

  // A proxy that has not asked for its listeners yet has applied nothing, whatever else it acknowledged.
  #complete(): boolean {
    return this.#channels.has(typeUrls.listener) || this.#options.group.resources(typeUrls.listener).size === 0;
  }

  #stock(view: View): { group: ResourceGroup; view: View } {
    return { group: this.#options.group, view };
  }
}

const namesIn = ({ upserts, removed }: Batch): string[] => [...upserts.map(({ name }) => name), ...removed];

const allOf = ({ subscription: { wildcard, names } }: Channel): Asked => ({
  everything: wildcard,
  names: [...names],
  dropped: [],
});

// Envoy repeats a request when something in it (a warming cluster, a new listener) waits for resources it has already.
function askedAgain(channel: Channel, asked: Asked): Asked {
  const same = !asked.everything && asked.names.length === 0 && asked.dropped.length === 0;
  return same ? allOf(channel) : asked;
}
