import { isSlotLists } from '../../contracts/index.ts';
import { typeUrls } from '../../envoy/wire/index.ts';
import { type DeltaRequest, type DeltaResponse, deltaRequest, type WireResource } from './delta-messages.ts';
import { type Answer, HeldType } from './held-type.ts';
import { wholeOf } from './patched.ts';
import { type Push, Pushes } from './pushes.ts';
import { Subscription } from './subscription.ts';
import type { TypePorts } from './type-ports.ts';
import { isTakenInPart } from './type-urls.ts';

/** What the control plane hears of Envoy's answer: the answer to its own, or names that Envoy takes now and rejected before. */
interface Acknowledgement extends Partial<Pick<DeltaRequest, 'nonce' | 'error'>> {
  readonly taken?: readonly string[];
}

/**
 * One type's part of the relay: Envoy's subscription on one side, the control plane's stream on the other, and in between
 * what Envoy holds and what it was sent and has not answered.
 *
 * Envoy's side is *silent* (no stream, or nothing asked on it yet) until its first request, then *asking*. While silent,
 * answers of the control plane are parked. The control plane's side is *closed*, *open* (a stream, but this type not
 * asked for on it) or *subscribed*. Requests of Envoy pass through when subscribed; the first one after open is an opening that
 * repeats Envoy's whole subscription with the versions it holds.
 */
export class TypeRelay {
  readonly typeUrl: string;
  readonly held: HeldType;
  readonly #ports: TypePorts;
  #asking = false;
  #wanted: Subscription | undefined;
  #upstreamOpen = false;
  #sent: Subscription | undefined;
  readonly #pushes = new Pushes();

  constructor(typeUrl: string, ports: TypePorts) {
    this.typeUrl = typeUrl;
    this.#ports = ports;
    this.held = new HeldType(ports.noteChanges);
  }

  /** Answers under way to Envoy. */
  get pushes(): Pick<Pushes, 'size' | 'parked' | 'sentResources'> {
    return this.#pushes;
  }

  /** Envoy has asked for the type on its present stream. */
  get asking(): boolean {
    return this.#asking;
  }

  /** Envoy's subscription, that of its last stream while it is away. Undefined: it never asked. */
  get wanted(): Subscription | undefined {
    return this.#wanted;
  }

  /** Envoy sent `request` on its stream. */
  envoyAsked(request: DeltaRequest): void {
    const acknowledgement = this.#acknowledge(request);
    const first = !this.#asking;
    if (first) {
      this.#asking = true;
      this.#wanted = new Subscription();
    }
    const wanted = this.#wanted as Subscription;
    wanted.apply(request, first);
    const unknown = request.subscribe.filter((name) => !this.held.knows(name) || !this.#sent?.has(name));
    // On a stream on which the type was released, a request without names would not ask for everything.
    if (first && request.subscribe.length === 0 && this.#sent?.wildcard === false) unknown.push('*');
    const repeated = [...unknown, ...(acknowledgement?.taken ?? [])];
    if (first) this.#replay(wanted, request.initialVersions);
    else this.#push(this.held.answerFor(request.subscribe), 'held');
    if (!wanted.wildcard) for (const name of request.unsubscribe) this.held.forget(name);
    this.#send(repeated, request.unsubscribe, acknowledgement);
  }

  /** Envoy's stream ended. What it was sent and did not answer is sent again when it is back. */
  envoyLeft(): void {
    this.#asking = false;
    for (const push of this.#pushes.envoyLeft()) this.#rejectFatal(push);
  }

  /** The control plane sent `response`. Throws when a resource of it cannot be read. */
  controlPlaneAnswered({ resources: sent, removed, systemVersion, nonce: upstreamNonce }: DeltaResponse): void {
    const { typeUrl, held } = this;
    const resources = typeUrl === typeUrls.endpoint ? sent.flatMap((one) => wholeOf(typeUrl, one, held) ?? []) : sent;
    const push: Push = { answer: { resources, removed }, systemVersion, upstreamNonce, lost: 0 };
    this.#pushes.add(push);
    if (this.#asking) this.#deliver(push);
    if (resources.length < sent.length) this.#askForWhole(sent, resources);
  }

  /** What Envoy gave up, or rejected when the agent offered it, is not held any more. The control plane may not know that yet. */
  #askForWhole(sent: readonly WireResource[], whole: readonly WireResource[]): void {
    const there = new Set(whole.map(({ name }) => name));
    const names = sent.map(({ name }) => name).filter((name) => !there.has(name) && this.#wanted?.names.has(name));
    if (names.length > 0) this.#send(names, [], undefined);
  }

  /** A stream to the control plane is open: asks for what Envoy wants, naming what it has. */
  controlPlaneJoined(): void {
    this.#upstreamOpen = true;
    if (this.#wanted) this.#open(this.#wanted);
  }

  /** The stream to the control plane is gone; Envoy's answers to what came on it are kept, but none is awaited. */
  controlPlaneLeft(): void {
    this.#upstreamOpen = false;
    this.#sent = undefined;
    this.#pushes.controlPlaneLeft();
    this.#renewLists();
  }

  /**
   * The present Envoy does not use the type: ends the subscription of the one before, and acknowledges what waits. Nothing is kept, so an
   * Envoy that asks later gets everything from the control plane.
   */
  release(): void {
    const sent = this.#sent;
    if (this.#asking || !sent || this.#pushes.size === 0) return;
    let unsubscribe = [...(sent.wildcard ? ['*'] : []), ...sent.names];
    this.#wanted = undefined;
    this.held.forgetAll();
    sent.apply({ subscribe: [], unsubscribe }, false);
    for (const { upstreamNonce: nonce } of this.#pushes.takeAll()) {
      this.#ports.toControlPlane(deltaRequest({ typeUrl: this.typeUrl, unsubscribe, nonce: nonce ?? '' }));
      unsubscribe = [];
    }
  }

  /** Sends Envoy once more what it rejected, unless it still has something to answer. */
  offerRejected(): void {
    if (this.#asking && this.#pushes.size === 0) this.#push(this.held.rejectedAnswer(), 'rejected');
  }

  /**
   * Sends Envoy what it holds of these names once more, right behind what `blank` makes of it. False: not now, because it has something to
   * answer.
   */
  resendBehind(names: readonly string[], blank: (held: WireResource) => WireResource): boolean {
    if (!this.#asking || this.#pushes.size > 0) return false;
    const resources = names.flatMap((name) => this.held.resources.get(name) ?? []);
    if (resources.length === 0) return true;
    this.#push({ resources: resources.map(blank), removed: [] }, 'blank');
    this.#push({ resources, removed: [] }, 'held');
    return true;
  }

  /** Takes Envoy's ACK or NACK in `request`, and gives what of it the control plane must hear. */
  #acknowledge(request: DeltaRequest): Acknowledgement | undefined {
    const push = this.#pushes.takeSent(request.nonce);
    if (!push || push.own === 'blank') return undefined;
    if (request.error && push.own) this.held.lose(push.answer);
    if (request.error) this.#rejected(push.answer);
    else this.held.accept(push.answer, this.#wanted as Subscription);
    this.#report(push, request.error?.message);
    // The control plane holds back from this proxy what another Envoy rejected: asked for it, it hears that this one takes it.
    if (push.own === 'rejected' && !request.error) return { taken: push.answer.resources.map(({ name }) => name) };
    if (push.upstreamNonce === undefined) {
      if (request.error) this.#renewLists();
      return undefined;
    }
    return { nonce: push.upstreamNonce, ...(request.error && { error: request.error }) };
  }

  /** Where Envoy takes answers in part, it has removed what the answer removes, whatever it rejected besides. */
  #rejected({ resources, removed }: Answer): void {
    const taken = isTakenInPart(this.typeUrl) && removed.length > 0;
    if (taken) this.held.accept({ resources: [], removed }, this.#wanted as Subscription);
    this.held.reject({ resources, removed: taken ? [] : removed });
  }

  #report(push: Push, rejection: string | undefined): void {
    const { upstreamNonce, systemVersion } = push;
    this.#ports.onVerdict({
      typeUrl: this.typeUrl,
      upstreamNonce,
      systemVersion,
      again: push.own === 'held',
      ...(rejection !== undefined && { rejection }),
    });
  }

  /** Brings an Envoy that just began to ask to where the agent is: what is held, what it rejected before, what waited for it. */
  #replay(wanted: Subscription, initialVersions: ReadonlyMap<string, string>): void {
    this.#push(this.held.answerTo(wanted, initialVersions), 'held');
    if (isTakenInPart(this.typeUrl)) this.#push(this.held.rejectedAnswer(), 'rejected');
    this.#renewLists();
    for (const push of this.#pushes.parked) this.#deliver(push);
  }

  /** Sends an answer of the agent's own. */
  #push(answer: Answer | undefined, own: NonNullable<Push['own']>): void {
    if (!answer) return;
    const push: Push = { answer, systemVersion: '', lost: 0, own };
    this.#pushes.add(push);
    this.#deliver(push);
  }

  /** Envoy 1.40 acknowledges an extension that it rejected when it comes again, and does not take it: unless it was sent what it has in between. */
  #renew(resources: readonly WireResource[]): void {
    const again = resources.filter(({ name, version }) => this.held.rejected.get(name)?.version === version);
    this.#push(this.held.answerFor(again.map(({ name }) => name)), 'held');
  }

  /** The same of lists where no control plane does it: a chain that leads there may come before the list does. */
  #renewLists(): void {
    if (!this.#asking || this.typeUrl !== typeUrls.extension) return;
    this.#push(this.held.answerFor([...this.held.rejected.keys()].filter(isSlotLists)), 'held');
  }

  #deliver(push: Push): void {
    if (!push.own && this.typeUrl === typeUrls.extension) this.#renew(push.answer.resources);
    const nonce = this.#ports.nextNonce();
    push.sentNonce = nonce;
    const { resources, removed } = push.answer;
    this.#ports.toEnvoy({ typeUrl: this.typeUrl, nonce, systemVersion: push.systemVersion, resources, removed });
  }

  /**
   * Passes Envoy's request on. A name that is held and that the control plane knew before is answered already; one
   * that is not held is asked for again, which the protocol answers even if it was asked for before.
   */
  #send(
    subscribe: readonly string[],
    unsubscribe: readonly string[],
    acknowledgement: Acknowledgement | undefined,
  ): void {
    if (!this.#upstreamOpen) return;
    const sent = this.#sent;
    if (!sent) {
      this.#open(this.#wanted as Subscription);
      return;
    }
    const dropped = unsubscribe.filter((name) => sent.has(name));
    const answered = acknowledgement?.nonce !== undefined;
    if (subscribe.length === 0 && dropped.length === 0 && !answered) return;
    sent.apply({ subscribe, unsubscribe: dropped }, false);
    const { typeUrl } = this;
    const { taken: _taken, ...said } = acknowledgement ?? {};
    this.#ports.toControlPlane(deltaRequest({ typeUrl, subscribe, unsubscribe: dropped, ...said }));
  }

  #open(wanted: Subscription): void {
    const subscribe = wanted.openingNames();
    if (subscribe.length === 0 && !wanted.wildcard) return;
    this.#sent = new Subscription();
    this.#sent.apply({ subscribe, unsubscribe: [] }, true);
    const initialVersions = this.held.versionsFor(wanted);
    this.#ports.toControlPlane(deltaRequest({ typeUrl: this.typeUrl, subscribe, initialVersions }));
  }

  /** Not kept among the rejected resources, or the next Envoy would be offered it and end as well. */
  #rejectFatal(push: Push): void {
    const message = `Envoy ended ${push.lost} times while it took this answer`;
    this.#report(push, message);
    const error = { code: 13, message };
    this.#ports.toControlPlane(deltaRequest({ typeUrl: this.typeUrl, nonce: push.upstreamNonce ?? '', error }));
  }
}
