import { typeUrls } from '../../envoy/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { ClientRejection } from '../rejections/rejections.ts';
import type { Channel } from './channel.ts';
import { ClientAnswers } from './client-answers.ts';
import { ClientChains } from './client-chains.ts';
import { ClientRejections } from './client-rejections.ts';
import { ClientRequests } from './client-requests.ts';
import { fillAnswer, nothingAsked } from './fill-outbox.ts';
import { SnapshotMarkerFlow } from './marker-flow.ts';
import { neededByLingering } from './needed-by-lingering.ts';
import type { Place } from './place.ts';
import { Pushes, type PushMoment } from './pushes.ts';
import type { GroupMember, ResourceChange } from './resource-group.ts';
import { Rounds } from './rounds.ts';
import type { Push, SessionOptions } from './session-options.ts';
import type { SessionRequest } from './session-request.ts';
import { type TrialBatch, type TrialQuestion, Trials } from './trials.ts';
import type { View } from './view.ts';

/**
 * The conversation on one stream, without the stream: requests and changes go in, responses come out. Synchronous.
 *
 * States: *waiting* until the group has a first publication (nothing is answered: an empty answer would take everything
 * from an Envoy that reconnects to a control plane that has just begun to look around); then *begun*, going from round to
 * round (see Rounds and Gate). A round takes its contents from one View; what changes meanwhile waits, newest only, for the next.
 */
export class Session implements GroupMember {
  readonly #options: SessionOptions;
  readonly #channels = new Map<string, Channel>();
  readonly #chains = new ClientChains(this.#channels);
  readonly #rounds: Rounds;
  readonly #markers: SnapshotMarkerFlow;
  readonly #rejections: ClientRejections;
  readonly #trials: Trials;
  readonly #requests: ClientRequests;
  readonly #pushes: Pushes;
  /** Clusters that were sent before the client asked for endpoints on this stream. */
  readonly #unfollowed = new Set<string>();

  constructor(options: SessionOptions) {
    const { group, observer, tries = false, clock } = options;
    const [channels, chains] = [this.#channels, this.#chains];
    this.#options = options;
    const rounds = new Rounds(options, channels, () => chains.awaitsScopes);
    const trials = new Trials({ tries, clock, epoch: () => rounds.epoch });
    const find = (place: Place) => rounds.view && chains.find(place, rounds.view);
    const rejections = new ClientRejections(options, channels, trials, find);
    const markers = new SnapshotMarkerFlow(options.wantsManifest, (snapshot) => observer.applied(snapshot));
    const answers = new ClientAnswers({ group, observer, rejections, chains, markers });
    this.#requests = new ClientRequests({ ...options, channels, rounds, chains, rejections, trials, markers, answers });
    this.#pushes = new Pushes(options);
    this.#rounds = rounds;
    this.#trials = trials;
    this.#rejections = rejections;
    this.#markers = markers;
  }

  /** Type URLs asked for, in the order of asking. */
  get subscriptions(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** What the client has us remember: how many names, and how much text they are. */
  get held(): { readonly names: number; readonly text: number } {
    return this.#requests.held;
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
    const { view, epoch } = this.#rounds;
    if (view === undefined) return;
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
    this.#requests.receive(request, nowMs);
    if (request.typeUrl === typeUrls.endpoint) this.#followEarlier(request);
  }

  /** The group changed (GroupMember). */
  changed(change: ResourceChange, epoch: number): void {
    if (this.#rounds.view === undefined) return;
    this.#rejections.changed(change, change.after);
    const channel = this.#channels.get(change.typeUrl);
    const { after } = change;
    const atOnce = after !== undefined && channel?.traits.queue === 'free';
    if (!atOnce) this.#rounds.note(change);
    else if (channel.subscription.covers(after.name)) channel.outbox.put(after, epoch);
  }

  /** Looks at the clock. True: there is something to send. */
  tick(nowMs: number): boolean {
    const released = this.#releaseLingering(nowMs);
    const overdue = this.#trials.tick(nowMs);
    if (this.#rounds.view) this.#putAgain(overdue, this.#rounds.epoch);
    return this.#retry(nowMs) || released || overdue.length > 0;
  }

  // Not in the middle of a round, whose routes may not have let go of them yet.
  #releaseLingering(nowMs: number): boolean {
    const { view, epoch, gate } = this.#rounds;
    if (view === undefined || !gate.finished) return false;
    const { lingerMs } = this.#options;
    const release = { nowMs, lingerMs, since: epoch, isNeeded: neededByLingering(this.#channels) };
    const released = [...this.#channels.values()].filter(({ outbox }) => outbox.releaseLingering(release));
    const narrowed = gate.hasAllRoutes && this.#chains.narrow(view, nowMs, lingerMs);
    return narrowed || released.length > 0;
  }

  /** Puts listeners up again whose port was taken, when it is time. */
  #retry(nowMs: number): boolean {
    const names = this.#rejections.takeDue(nowMs);
    const channel = this.#channels.get(typeUrls.listener);
    if (names.length === 0 || channel === undefined || this.#rounds.view === undefined) return false;
    fillAnswer(this.#rounds.view, channel, { ...nothingAsked, names });
    return true;
  }

  /** The next response that may be sent now. To be called again until there is none. */
  next(nowMs: number): Push | undefined {
    if (this.#rounds.view === undefined && !this.#begin()) return undefined;
    for (;;) {
      const view = this.#rounds.view!;
      const moment = { snapshotVersion: view.snapshotVersion, nowMs };
      const trial = this.#nextTrial();
      if (trial) return this.#pushes.trial(trial, moment);
      this.#chains.finish(view);
      if (this.#chains.filterChains.hasFormer && this.#rounds.gate.hasAllRoutes) this.#chains.dropFormer(view);
      const channel = this.#rounds.gate.next() ?? this.#nextManifest(view);
      if (channel !== undefined) return this.#push(channel, moment);
      const begun = this.#rounds.advance();
      if (begun === undefined) return undefined;
      if (begun === 'round') this.#rejections.lookBeside();
    }
  }

  #begin(): boolean {
    const isBegun = this.#rounds.begin() !== undefined;
    if (isBegun) this.#requests.begun();
    return isBegun;
  }

  /** What trials found is sent, and what there is to try comes before all else. */
  #nextTrial(): TrialBatch | undefined {
    const { epoch } = this.#rounds;
    this.#putAgain(this.#rejections.tried(epoch), epoch);
    return this.#trials.next();
  }

  #push(channel: Channel, moment: PushMoment): Push {
    const push = this.#pushes.next(channel, moment);
    if (channel.traits.queue === 'cluster')
      this.#followWithEndpoints(channel.outbox.inFlight.outstanding!.batch.upserts);
    return push;
  }

  // Delta: an Envoy that has the endpoints of a changed cluster does not ask again, yet waits for them. SotW: it asks.
  #followWithEndpoints(clusters: readonly EnvoyResource[]): void {
    const channel = this.#channels.get(typeUrls.endpoint);
    if (this.#options.variant === 'sotw') return;
    const names = clusters.map(({ name }) => name);
    if (channel) this.#putEndpoints(channel, names);
    else for (const name of names) this.#unfollowed.add(name);
  }

  // A client that comes back asks for clusters first, and says of endpoints that it has them.
  #followEarlier({ initialVersions }: SessionRequest): void {
    const channel = this.#channels.get(typeUrls.endpoint);
    if (this.#unfollowed.size === 0 || channel === undefined) return;
    this.#putEndpoints(
      channel,
      [...initialVersions.keys()].filter((name) => this.#unfollowed.has(name)),
    );
    this.#unfollowed.clear();
  }

  #putEndpoints(channel: Channel, clusters: readonly string[]): void {
    const names = clusters.filter((name) => channel.subscription.covers(name));
    fillAnswer(this.#rounds.view!, channel, { ...nothingAsked, names });
  }

  // Looked at before the next round begins, so that a manifest is not reported while the client is halfway to the next snapshot.
  #nextManifest({ snapshotVersion }: View): Channel | undefined {
    const { gate } = this.#rounds;
    if (gate.finished) this.#markers.finished(snapshotVersion);
    if (this.#complete()) this.#markers.resolve(Math.min(gate.behindSince, this.#trials.behindSince));
    const channel = this.#channels.get(typeUrls.snapshot);
    return channel?.outbox.ready ? channel : undefined;
  }

  // A proxy that has not asked for its listeners yet has applied nothing, whatever else it acknowledged.
  #complete(): boolean {
    return this.#channels.has(typeUrls.listener) || this.#options.group.resources(typeUrls.listener).size === 0;
  }
}
