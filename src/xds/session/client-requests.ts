import { typeUrls } from '../../envoy/index.ts';
import { allOf, askedAgain } from './asked-again.ts';
import { type Channel, DeltaChannel, SotwChannel } from './channel.ts';
import type { ClientAnswers } from './client-answers.ts';
import type { ClientChains } from './client-chains.ts';
import type { ClientRejections } from './client-rejections.ts';
import { EarlyVersions } from './early-versions.ts';
import { fillAnswer, noVersions } from './fill-outbox.ts';
import type { SnapshotMarkerFlow } from './marker-flow.ts';
import { Pieces } from './pieces.ts';
import type { Rounds } from './rounds.ts';
import type { SessionOptions } from './session-options.ts';
import type { SessionRequest } from './session-request.ts';
import type { Asked } from './subscription.ts';
import { TakenBodies } from './taken-bodies.ts';
import type { Trials } from './trials.ts';
import type { View } from './view.ts';

/** What a request concerns. */
interface Concerned extends Pick<SessionOptions, 'variant' | 'group' | 'patches' | 'hasGeo'> {
  /** By type URL, in the order of asking. */
  readonly channels: Map<string, Channel>;
  readonly rounds: Rounds;
  readonly chains: ClientChains;
  readonly rejections: ClientRejections;
  readonly trials: Trials;
  readonly markers: SnapshotMarkerFlow;
  readonly answers: ClientAnswers;
}

/**
 * What a client's requests mean: the first for a type opens its channel, and each may answer a response, ask for names or give some up, and say what the
 * client has from an earlier stream.
 */
export class ClientRequests {
  readonly #concerned: Concerned;
  readonly #early = new EarlyVersions<Channel>();
  readonly #pieces = new Pieces();

  constructor(concerned: Concerned) {
    this.#concerned = concerned;
  }

  /** What the client has us remember: how many names, and how much text they are. */
  get held(): { readonly names: number; readonly text: number } {
    const pieces = this.#pieces.held;
    let [names, text] = [this.#early.names + pieces.names, this.#early.text + pieces.text];
    for (const { subscription } of this.#concerned.channels.values()) {
      names += subscription.names.size;
      text += subscription.textLength;
    }
    return { names, text };
  }

  receive(request: SessionRequest, nowMs: number): void {
    const { channels, variant } = this.#concerned;
    const known = channels.get(request.typeUrl);
    const channel = known ?? this.#open(request.typeUrl);
    if (variant === 'delta') this.#delta(channel, this.#pieces.inDelta(request), nowMs);
    else this.#sotw(channel, this.#pieces.inSotw(request), known === undefined, nowMs);
  }

  /** The first round has begun: what was asked for until now is answered. */
  begun(): void {
    for (const [channel, has] of this.#early.take()) this.#fill(channel, allOf(channel), has);
  }

  #open(typeUrl: string): Channel {
    const { channels, group, variant, patches, hasGeo = false, rejections, chains, rounds, markers } = this.#concerned;
    const intern = (name: string): string => group.get(typeUrl, name)?.name ?? name;
    const bodies = patches && typeUrl === typeUrls.endpoint ? new TakenBodies(patches) : undefined;
    const channel =
      variant === 'delta'
        ? new DeltaChannel(bodies, typeUrl, intern, rejections.heldBack, chains.filterChains, hasGeo)
        : new SotwChannel(typeUrl, intern, rejections.heldBack, chains.filterChains, hasGeo);
    channels.set(typeUrl, channel);
    rounds.gate.add(channel);
    if (rounds.view !== undefined && channel.traits.queue !== 'manifest') markers.reopen(rounds.epoch);
    return channel;
  }

  // A nonce that is not the last one's says nothing of it; what a request (un)subscribes counts in any case.
  #delta(channel: Channel, request: SessionRequest, nowMs: number): void {
    const { nonce, initialVersions } = request;
    const { inFlight } = channel.outbox;
    if (nonce !== '' && nonce === inFlight.outstanding?.nonce) this.#answered(channel, request.error, nowMs);
    const asked = channel.subscription.applyDelta(request, channel.traits.wildcardByDefault);
    this.#fill(channel, asked, initialVersions);
  }

  // A stale nonce voids the whole request: the client will repeat it with the newest one (xDS protocol, "Resource updates").
  #sotw(channel: Channel, request: SessionRequest, first: boolean, nowMs: number): void {
    if (!first && request.nonce !== channel.lastNonce) return;
    const answers = !first && channel.outbox.inFlight.outstanding !== undefined;
    if (answers) this.#answered(channel, request.error, nowMs);
    const asked = channel.subscription.applySotw(request.subscribe, channel.traits.wildcardByDefault);
    if (first) this.#concerned.chains.mayHave(channel, request.subscribe);
    this.#fill(
      channel,
      first || answers ? asked : askedAgain(channel, asked),
      first ? request.initialVersions : noVersions,
    );
  }

  #answered(channel: Channel, error: string | undefined, nowMs: number): void {
    this.#concerned.answers.answered(channel, error, { epoch: this.#concerned.rounds.epoch, nowMs });
  }

  #fill(channel: Channel, asked: Asked, has: ReadonlyMap<string, string>): void {
    const { rounds, rejections, markers } = this.#concerned;
    for (const name of asked.dropped) this.#drop(channel, name);
    for (const name of asked.names) channel.asked(name);
    rejections.has(channel, has);
    const { view } = rounds;
    if (view === undefined) {
      this.#early.add(channel, has);
      return;
    }
    this.#compare(channel, has, view);
    if (channel.traits.queue !== 'manifest') fillAnswer(view, channel, asked, has);
    else if (asked.everything || asked.names.length > 0) markers.asked(channel, [...has.values()][0]);
  }

  #drop(channel: Channel, name: string): void {
    const { chains, rejections } = this.#concerned;
    chains.dropped(channel, name);
    channel.outbox.forget(name);
    channel.dropped(name);
    rejections.changed({ typeUrl: channel.typeUrl, name }, undefined);
  }

  /** The client says that it has these (name → version) from an earlier stream. */
  #compare(channel: Channel, has: ReadonlyMap<string, string>, view: View): void {
    const { group, trials, chains } = this.#concerned;
    for (const [name, version] of has) {
      const resource = group.get(channel.typeUrl, name);
      if (resource?.version === version) channel.has(resource);
      if (resource) trials.had(resource, version);
    }
    chains.has(channel, has, view);
  }
}
