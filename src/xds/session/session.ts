import { typeUrls } from '../../envoy/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { ClientRejection } from '../rejections/rejections.ts';
import { allOf, askedAgain } from './asked-again.ts';
import { type Channel, DeltaChannel, SotwChannel } from './channel.ts';
import { ClientAnswers } from './client-answers.ts';
import { ClientChains } from './client-chains.ts';
import { ClientRejections } from './client-rejections.ts';
import { EarlyVersions } from './early-versions.ts';
import { fillAnswer, fillChanges, nothingAsked, noVersions } from './fill-outbox.ts';
import { Gate } from './gate.ts';
import { SnapshotMarkerFlow } from './marker-flow.ts';
import type { Place } from './place.ts';
import type { GroupMember, ResourceChange, ResourceGroup } from './resource-group.ts';
import type { Push, SessionOptions } from './session-options.ts';
import type { SessionRequest } from './session-request.ts';
import type { Asked } from './subscription.ts';
import { TakenBodies } from './taken-bodies.ts';
import { type TrialQuestion, Trials } from './trials.ts';
import { View } from './view.ts';
import { encodeDeltaResponse } from './wire.ts';

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
  readonly #gate = new Gate(() => this.#chains.awaitsScopes);
  readonly #markers: SnapshotMarkerFlow;
  readonly #rejections: ClientRejections;
  readonly #trials: Trials;
  readonly #early = new EarlyVersions<Channel>();
  readonly #chains = new ClientChains(this.#channels);
  readonly #answers: ClientAnswers;
  #view: View | undefined;
  #lastNonce = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { tries = false, clock } = options;
    this.#trials = new Trials({ tries, clock, epoch: () => this.#view?.snapshotVersion.epoch ?? 0 });
    this.#rejections = new ClientRejections(options, this.#channels, this.#trials, (place) => this.#find(place));
    this.#markers = new SnapshotMarkerFlow(options.wantsManifest, (snapshot) => options.observer.applied(snapshot));
    const { group, observer } = options;
    const concerned = { group, observer, rejections: this.#rejections, chains: this.#chains, markers: this.#markers };
    this.#answers = new ClientAnswers(concerned);
  }

  /** Type URLs asked for, in the order of asking. */
  get subscriptions(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** What the client has us remember: how many names, and how much text they are. */
  get held(): { readonly names: number; readonly text: number } {
    let { names, text } = this.#early;
    for (const { subscription } of this.#channels.values()) {
      names += subscription.names.size;
      text += subscription.textLength;
    }
    return { names, text };
  }

  /** The client rejects a resource, at the version we have. */
  get rejects(): boolean {
    return this.#channels.values().some(({ outbox }) => outbox.rejected.size > 0);
  }

  /** What the client rejects for certain, and is not sent. */
  get rejections(): Iterable<ClientRejection> {
    return this.#rejections.heldBack.list();
  }

  /** What is tried before the client serves it, or could not be. */
  get trials(): Iterable<ClientRejection> {
    return this.#trials.list();
  }

  /** Trials.ask; what it causes to be sent comes out of `next`. */
  ask(question: TrialQuestion): boolean {
    return this.#trials.ask(question);
  }

  /** Sends what the client rejected once more, as if it had not. What it causes to be sent comes out of `next`. */
  offerAgain(): void {
    if (this.#view === undefined) return;
    const { epoch } = this.#view.snapshotVersion;
    const { cleared, places } = this.#rejections.clear();
    this.#putAgain(places, epoch, true);
    for (const rejection of cleared) this.#options.observer.relented(rejection);
  }

  #putAgain(places: Iterable<Place>, epoch: number, asked = false): void {
    for (const { typeUrl, name } of places) {
      const resource = this.#options.group.get(typeUrl, name);
      const channel = this.#channels.get(typeUrl);
      if (resource && channel?.subscription.covers(name)) channel.outbox.put(resource, epoch, asked);
    }
  }

  /** Since when (milliseconds) the oldest response waits for its answer; infinite when none does. */
  get waitingSinceMs(): number {
    let since = Number.POSITIVE_INFINITY;
    for (const { outbox } of this.#channels.values()) {
      since = Math.min(since, outbox.inFlight.outstanding?.sentAtMs ?? Number.POSITIVE_INFINITY);
    }
    return since;
  }

  /** Takes a request in. What it causes to be sent comes out of `next`. */
  request(request: SessionRequest, nowMs: number): void {
    if (request.typeUrl === typeUrls.trial) {
      this.#trials.request(request);
      return;
    }
    const known = this.#channels.get(request.typeUrl);
    const channel = known ?? this.#open(request.typeUrl);
    if (this.#options.variant === 'delta') this.#deltaRequest(channel, request, nowMs);
    else this.#sotwRequest(channel, request, known === undefined, nowMs);
  }

  /** The group changed (GroupMember). */
  changed(change: ResourceChange, epoch: number): void {
    if (this.#view === undefined) return;
    this.#rejections.changed(change, change.after);
    const channel = this.#channels.get(change.typeUrl);
    const { after } = change;
    const atOnce = after !== undefined && channel?.traits.queue === 'free';
    if (!atOnce) this.#view.note(change);
    else if (channel.subscription.covers(after.name)) channel.outbox.put(after, epoch);
  }

  /** Looks at the clock. True: there is something to send. */
  tick(nowMs: number): boolean {
    const released = this.#releaseLingering(nowMs);
    const overdue = this.#trials.tick(nowMs);
    if (this.#view) this.#putAgain(overdue, this.#view.snapshotVersion.epoch);
    return this.#retry(nowMs) || released || overdue.length > 0;
  }

  // Not in the middle of a round, whose routes may not have let go of them yet.
  #releaseLingering(nowMs: number): boolean {
    if (this.#view === undefined || !this.#gate.finished) return false;
    const { epoch } = this.#view.snapshotVersion;
    const { lingerMs } = this.#options;
    const channels = [...this.#channels.values()];
    const released = channels.filter(({ outbox }) => outbox.releaseLingering(nowMs, lingerMs, epoch));
    const narrowed = this.#gate.hasAllRoutes && this.#chains.narrow(this.#view, nowMs, lingerMs);
    return narrowed || released.length > 0;
  }

  /** Puts listeners up again whose port was taken, when it is time. */
  #retry(nowMs: number): boolean {
    const names = this.#rejections.takeDue(nowMs);
    const channel = this.#channels.get(typeUrls.listener);
    if (names.length === 0 || channel === undefined || this.#view === undefined) return false;
    fillAnswer(this.#sentState(this.#view), channel, { ...nothingAsked, names });
    return true;
  }

  /** The next response that may be sent now. To be called again until there is none. */
  next(nowMs: number): Push | undefined {
    if ((this.#view ?? this.#begin()) === undefined) return undefined;
    for (;;) {
      const trial = this.#nextTrial(nowMs);
      if (trial) return trial;
      if (this.#view) this.#chains.finish(this.#view);
      if (this.#view && this.#chains.slots.hasFormer && this.#gate.hasAllRoutes) this.#chains.dropFormer(this.#view);
      const channel = this.#gate.next() ?? this.#nextManifest();
      if (channel !== undefined) return this.#push(channel, nowMs);
      if (!this.#turn()) return undefined;
    }
  }

  /** What trials found is sent, and what there is to try comes before all else. */
  #nextTrial(nowMs: number): Push | undefined {
    const { epoch, marker } = this.#view!.snapshotVersion;
    this.#putAgain(this.#rejections.tried(epoch), epoch);
    const batch = this.#trials.next();
    if (!batch) return undefined;
    const nonce = String(++this.#lastNonce);
    batch.sent(nonce, nowMs);
    const [typeUrl, snapshot, upserts] = [typeUrls.trial, marker.id, batch.contents];
    const bytes = encodeDeltaResponse({ typeUrl, nonce, systemVersion: snapshot, upserts, removed: [], empty: [] });
    return { typeUrl, nonce, snapshot, bytes, resources: upserts.length };
  }

  #find(place: Place): EnvoyResource | undefined {
    return this.#view && this.#chains.find(place, this.#view);
  }

  #open(typeUrl: string): Channel {
    const { group, variant, patches, hasGeo = false } = this.#options;
    const intern = (name: string): string => group.get(typeUrl, name)?.name ?? name;
    const bodies = patches && typeUrl === typeUrls.endpoint ? new TakenBodies(patches) : undefined;
    const channel =
      variant === 'delta'
        ? new DeltaChannel(bodies, typeUrl, intern, this.#rejections.heldBack, this.#chains.slots, hasGeo)
        : new SotwChannel(typeUrl, intern, this.#rejections.heldBack, this.#chains.slots, hasGeo);
    this.#channels.set(typeUrl, channel);
    this.#gate.add(channel);
    if (this.#view !== undefined && channel.traits.queue !== 'manifest')
      this.#markers.reopen(this.#view.snapshotVersion.epoch);
    return channel;
  }

  // A nonce that is not the last one's says nothing of it; what a request (un)subscribes counts in any case.
  #deltaRequest(channel: Channel, request: SessionRequest, nowMs: number): void {
    const { nonce, initialVersions } = request;
    if (nonce !== '' && nonce === channel.outbox.inFlight.outstanding?.nonce) this.#answered(channel, request.error, nowMs);
    const asked = channel.subscription.applyDelta(request, channel.traits.wildcardByDefault);
    this.#fill(channel, asked, initialVersions);
  }

  // A stale nonce voids the whole request: the client will repeat it with the newest one (xDS protocol, "Resource updates").
  #sotwRequest(channel: Channel, request: SessionRequest, first: boolean, nowMs: number): void {
    if (!first && request.nonce !== channel.lastNonce) return;
    const answers = !first && channel.outbox.inFlight.outstanding !== undefined;
    if (answers) this.#answered(channel, request.error, nowMs);
    const asked = channel.subscription.applySotw(request.subscribe, channel.traits.wildcardByDefault);
    if (first) this.#chains.mayHave(channel, request.subscribe);
    this.#fill(
      channel,
      first || answers ? asked : askedAgain(channel, asked),
      first ? request.initialVersions : noVersions,
    );
  }

  #answered(channel: Channel, error: string | undefined, nowMs: number): void {
    this.#answers.answered(channel, error, { epoch: this.#view!.snapshotVersion.epoch, nowMs });
  }

  #fill(channel: Channel, asked: Asked, has: ReadonlyMap<string, string>): void {
    for (const name of asked.dropped) {
      this.#chains.dropped(channel, name);
      channel.outbox.forget(name);
      channel.dropped(name);
      this.#rejections.changed({ typeUrl: channel.typeUrl, name }, undefined);
    }
    for (const name of asked.names) channel.asked(name);
    this.#rejections.has(channel, has);
    if (this.#view === undefined) {
      this.#early.add(channel, has);
      return;
    }
    const { group } = this.#options;
    for (const [name, version] of has) {
      const resource = group.get(channel.typeUrl, name);
      if (resource?.version === version) channel.has(resource);
      if (resource) this.#trials.had(resource, version);
    }
    this.#chains.has(channel, has, this.#view, group);
    if (channel.traits.queue !== 'manifest') fillAnswer(this.#sentState(this.#view), channel, asked, has);
    else if (asked.everything || asked.names.length > 0) this.#markers.asked(channel, [...has.values()][0]);
  }

  /** From waiting to begun, if the group is there. */
  #begin(): View | undefined {
    const { group, newest } = this.#options;
    if (!group.published) return undefined;
    this.#view = new View(group, newest());
    for (const [channel, has] of this.#early.take()) this.#fill(channel, allOf(channel), has);
    return this.#view;
  }

  /** The next step, or the next round; false when there is neither. */
  #turn(): boolean {
    const before = this.#view!;
    if (this.#gate.advance(before.snapshotVersion.epoch)) return true;
    if (!this.#gate.finished) return false;
    const newest = this.#options.newest();
    if (newest.epoch === before.snapshotVersion.epoch) return false;
    this.#view = new View(this.#options.group, newest);
    for (const [typeUrl, names] of before.changed) {
      const channel = this.#channels.get(typeUrl);
      if (channel !== undefined) fillChanges(this.#sentState(this.#view), channel, names);
    }
    this.#rejections.lookBeside();
    return true;
  }

  #push(channel: Channel, nowMs: number): Push {
    const { typeUrl, outbox, traits } = channel;
    const batch = outbox.take(this.#limit(channel));
    const nonce = String(++this.#lastNonce);
    const marker = traits.queue === 'manifest' ? batch.upserts[0]?.version : undefined;
    const snapshot = marker ?? this.#view!.snapshotVersion.marker.id;
    outbox.inFlight.sent({ nonce, snapshot, batch, sentAtMs: nowMs });
    channel.lastNonce = nonce;
    if (traits.queue === 'cluster') this.#followWithEndpoints(batch.upserts);
    return { typeUrl, nonce, snapshot, bytes: channel.encode(batch, nonce, snapshot), resources: batch.upserts.length };
  }

  #limit({ traits, lastNonce }: Channel): number {
    const { variant, maxResponseBytes, maxFirstRoutesBytes } = this.#options;
    if (variant === 'sotw') return Number.POSITIVE_INFINITY;
    return traits.queue === 'route' && lastNonce === '' ? maxFirstRoutesBytes : maxResponseBytes;
  }

  // Delta: an Envoy that has the endpoints of a changed cluster does not ask again, yet waits for them. SotW: it asks.
  #followWithEndpoints(clusters: readonly EnvoyResource[]): void {
    const channel = this.#channels.get(typeUrls.endpoint);
    if (channel === undefined || this.#options.variant === 'sotw') return;
    const names = clusters.map(({ name }) => name).filter((name) => channel.subscription.covers(name));
    fillAnswer(this.#sentState(this.#view!), channel, { ...nothingAsked, names });
  }

  // Looked at before the next round begins, so that a manifest is not reported while the client is halfway to the next snapshot.
  #nextManifest(): Channel | undefined {
    if (this.#gate.finished) this.#markers.finished(this.#view!.snapshotVersion);
    if (this.#complete()) this.#markers.resolve(Math.min(this.#gate.behindSince, this.#trials.behindSince));
    const channel = this.#channels.get(typeUrls.snapshot);
    return channel?.outbox.ready ? channel : undefined;
  }

  // A proxy that has not asked for its listeners yet has applied nothing, whatever else it acknowledged.
  #complete(): boolean {
    return this.#channels.has(typeUrls.listener) || this.#options.group.resources(typeUrls.listener).size === 0;
  }

  #sentState(view: View): { group: ResourceGroup; view: View } {
    return { group: this.#options.group, view };
  }
}
