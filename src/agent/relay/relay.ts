import { typeUrls } from '../../envoy/wire/index.ts';
import { ClusterWait } from './cluster-wait.ts';
import type { DeltaRequest, DeltaResponse } from './delta-messages.ts';
import type { KnownName } from './held-type.ts';
import type { Knowledge, LastAnswer, Rejection } from './knowledge.ts';
import { ListenerSockets } from './listener-sockets.ts';
import { ModuleRelay } from './module-relay.ts';
import type { RelayOptions } from './relay-options.ts';
import { type AppliedSnapshot, SnapshotMarker } from './snapshot-marker.ts';
import type { Verdict } from './type-ports.ts';
import { TypeRelay } from './type-relay.ts';
import { byOpeningOrder } from './type-urls.ts';

/**
 * The relay between the control plane and Envoy: one delta ADS stream on each side, either of which may break and come
 * back without the other noticing. Pure and synchronous; the streams are `Upstream` and `Downstream`.
 *
 * Resources pass through as bytes, but for what listeners say of their sockets (`ListenerSockets`): that is put right on the last step
 * to Envoy, so that what is held, and kept on disk, is what the control plane sent. What Envoy acknowledged is held by type
 * (`TypeRelay`): an Envoy that starts again is answered at once, and a control plane that comes back learns what it need not send.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #types = new Map<string, TypeRelay>();
  #marker = new SnapshotMarker((request) => this.#toControlPlane(request));
  /** Type URL → its last answer was rejected. */
  readonly #rejections = new Map<string, Rejection>();
  #lastRejection: Rejection | undefined;
  #lastAnswer: LastAnswer | undefined;
  #node: Uint8Array | undefined;
  #envoy: ((response: DeltaResponse) => void) | undefined;
  #controlPlane: ((request: DeltaRequest) => void) | undefined;
  #nodeSent = false;
  readonly #sockets: ListenerSockets;
  readonly #modules: ModuleRelay | undefined;
  /** Envoy's stream is there, and has not asked for listeners yet. */
  #listenersUnasked = false;
  #nonces = 0;
  /** Envoy has answered something since the last snapshot was applied. */
  #changed = false;
  readonly clusters = new ClusterWait({
    clusters: () => this.#types.get(typeUrls.cluster),
    endpoints: () => this.#types.get(typeUrls.endpoint),
    isStarting: () => this.#envoy !== undefined && this.#listenersUnasked,
  });

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#sockets = new ListenerSockets(options.sockets);
    this.#modules = options.modules && new ModuleRelay(options.modules);
  }

  /** The snapshot that Envoy took last. */
  get applied(): AppliedSnapshot | undefined {
    return this.#marker.applied;
  }

  /** What Envoy last answered the control plane, its status being NACK as long as any type's last answer was rejected. */
  get lastAnswer(): LastAnswer | undefined {
    return this.#lastAnswer && { ...this.#lastAnswer, status: this.#rejections.size > 0 ? 'NACK' : 'ACK' };
  }

  /** The last rejection ever. */
  get lastRejection(): Rejection | undefined {
    return this.#lastRejection;
  }

  /** Rejections that no later answer of the same type has made good, by type URL. */
  get rejections(): ReadonlyMap<string, Rejection> {
    return this.#rejections;
  }

  /** By type URL. */
  get types(): ReadonlyMap<string, TypeRelay> {
    return this.#types;
  }

  /** Envoy has said at least once what it wants, so there is something to ask a control plane for. */
  get hasSubscriptions(): boolean {
    return this.#node !== undefined;
  }

  /** Resources can be tried. */
  get tries(): boolean {
    return this.#options.trials !== undefined;
  }

  /** Envoy opened a stream; `send` writes to it. A former stream counts as ended. */
  envoyJoined(send: (response: DeltaResponse) => void): void {
    if (this.#envoy) this.envoyLeft();
    this.#envoy = send;
    this.#options.listGate?.joined();
    this.#listenersUnasked = true;
    this.#modules?.ask(this.#type(typeUrls.module));
    this.#advance();
  }

  /** Envoy sent `request` on its stream; `node` is its encoded Node message, as the control plane is to see it. */
  envoyAsked(request: DeltaRequest, node?: Uint8Array): void {
    if (node) this.#node = node;
    if (request.typeUrl === typeUrls.listener && this.#listenersUnasked) {
      this.#listenersUnasked = false;
      if (request.initialVersions.size === 0) this.#forgetEnvoy();
    }
    if (request.typeUrl === typeUrls.listener && request.nonce !== '') this.#options.listGate?.listenersAnswered();
    this.#type(request.typeUrl).envoyAsked(request);
    this.#advance();
  }

  envoyLeft(): void {
    this.#envoy = undefined;
    for (const type of this.#types.values()) type.envoyLeft();
    this.#advance();
  }

  /** A stream to the control plane is open; `send` writes to it. */
  controlPlaneJoined(send: (request: DeltaRequest) => void): void {
    this.#controlPlane = send;
    this.#nodeSent = false;
    const types = [...this.#types.values()].sort((a, b) => byOpeningOrder(a.typeUrl, b.typeUrl));
    for (const type of types) type.controlPlaneJoined();
    this.#advance();
  }

  controlPlaneAnswered(response: DeltaResponse): void {
    if (response.typeUrl === typeUrls.snapshot) this.#marker.answered(response);
    else if (response.typeUrl === typeUrls.trial) void this.#options.trials?.answered(response);
    else this.#type(response.typeUrl).controlPlaneAnswered(response);
    this.#advance();
  }

  controlPlaneLeft(): void {
    this.#controlPlane = undefined;
    for (const type of this.#types.values()) type.controlPlaneLeft();
    this.#marker.left();
    this.#options.trials?.left();
  }

  /** Sends Envoy once more what it rejected of a type. */
  offerRejected(typeUrl: string): void {
    this.#types.get(typeUrl)?.offerRejected();
  }

  /** Envoy has answered everything that it was sent. */
  get settled(): boolean {
    return this.#outstanding() === 0;
  }

  /** What changed since the last call. */
  takeChanges(): Knowledge {
    return this.#knowledge((type) => type.held.takeChanges());
  }

  /** All that is known; nothing has changed after it. */
  takeAll(): Knowledge {
    return this.#knowledge((type) => type.held.takeAll());
  }

  /** Starts with what another agent knew. To be called before either side joins. Throws when its manifest cannot be read. */
  restore({ applied, types }: Knowledge): void {
    if (applied) this.#marker.restore(applied.marker, applied.at);
    for (const { typeUrl, answered, names } of types) this.#type(typeUrl).held.restore(names, answered);
  }

  /** Forgets all that Envoy has. To be called while there is no control plane; an Envoy that is there has to go. */
  forget(): void {
    this.#types.clear();
    this.#rejections.clear();
    this.#lastAnswer = undefined;
    this.#marker = new SnapshotMarker((request) => this.#toControlPlane(request));
  }

  #knowledge(namesOf: (type: TypeRelay) => KnownName[]): Knowledge {
    const { applied, held: marker } = this.#marker;
    const types = [...this.#types.values()].map((type) => {
      const { typeUrl, held } = type;
      return { typeUrl, answered: held.answered, names: namesOf(type) };
    });
    return { applied: marker && applied && { marker, at: applied.appliedAt }, types };
  }

  #type(typeUrl: string): TypeRelay {
    const known = this.#types.get(typeUrl);
    if (known) return known;
    const type = new TypeRelay(typeUrl, {
      toEnvoy: (response) => this.#toEnvoy(response),
      toControlPlane: (request) => this.#toControlPlane(request),
      nextNonce: () => String(++this.#nonces),
      onVerdict: (verdict) => this.#judge(verdict),
      noteChanges: this.#options.noteChanges ?? false,
    });
    this.#types.set(typeUrl, type);
    if (this.#controlPlane) type.controlPlaneJoined();
    return type;
  }

  /** Another Envoy has come, which has nothing. */
  #forgetEnvoy(): void {
    this.#sockets.forget();
    this.#options.listGate?.forget();
  }

  #toEnvoy(response: DeltaResponse): void {
    const send = (sent: DeltaResponse) =>
      this.#envoy?.(sent.typeUrl === typeUrls.listener ? this.#sockets.keepSockets(sent) : sent);
    const { listGate } = this.#options;
    if (response.typeUrl === typeUrls.cluster && this.clusters.sent()) this.#options.onClusters?.();
    if (response.typeUrl === typeUrls.module) this.#modules?.receive(response);
    else if (listGate) listGate.pass(response, send);
    else send(response);
  }

  /** The node goes out with the first message of each stream, and only with that. */
  #toControlPlane(request: DeltaRequest): void {
    if (!this.#controlPlane) return;
    const node = this.#nodeSent ? undefined : this.#node;
    this.#nodeSent = true;
    this.#controlPlane(node ? { ...request, node } : request);
  }

  #judge(verdict: Verdict): void {
    const { typeUrl, rejection, upstreamNonce: nonce, again } = verdict;
    this.#changed = true;
    if (rejection === undefined && !again) this.#rejections.delete(typeUrl);
    if (rejection !== undefined)
      this.#reject({ typeUrl, message: rejection, at: this.#options.now(), own: nonce === undefined }, nonce);
    if (nonce === undefined) return;
    const version = verdict.systemVersion || (this.applied?.id ?? '');
    this.#lastAnswer = { status: rejection === undefined ? 'ACK' : 'NACK', version, nonce };
  }

  #reject(rejection: Rejection, nonce: string | undefined): void {
    this.#rejections.set(rejection.typeUrl, rejection);
    this.#lastRejection = rejection;
    const { typeUrl, message } = rejection;
    this.#options.logger.warn({ type_url: typeUrl, nonce, reason: message }, 'Envoy rejected configuration');
    this.#options.onRejected?.();
  }

  /** Asks for the manifest when it is time, and takes the one that waits when Envoy has answered all before it. */
  #advance(): void {
    this.clusters.look();
    this.#modules?.answer(() => this.#type(typeUrls.module));
    if (!this.#controlPlane) return;
    if (this.#node) this.#options.trials?.ask((request) => this.#toControlPlane(request));
    if (this.#judged(typeUrls.cluster) && this.#judged(typeUrls.listener)) this.#marker.ask();
    this.#releaseUnused();
    if (!this.#marker.waiting || this.#outstanding() > 0) return;
    const applied = this.#marker.resolve(this.#options.now());
    if (!applied) return;
    this.#lastAnswer = { status: 'ACK', version: applied.id, nonce: applied.nonce };
    // Every proxy is notified of every snapshot; most differ in what other Gateways serve.
    this.#options.logger[this.#changed ? 'info' : 'debug']({ config_version: applied.id }, 'configuration applied');
    this.#changed = false;
    this.#options.onApplied?.(applied);
  }

  /**
   * Envoy asks for all other types because of its clusters and listeners. Once it has answered these and everything else that it was
   * sent, what is still parked would wait forever: the Envoy before this one had asked for it.
   */
  #releaseUnused(): void {
    if (!this.#envoy || this.#unanswered(typeUrls.cluster) || this.#unanswered(typeUrls.listener)) return;
    const types = [...this.#types.values()].filter(({ pushes }) => pushes.size > 0);
    if (types.every(({ pushes }) => pushes.parked.length === pushes.size)) for (const type of types) type.release();
  }

  /** Envoy has not asked for the type on its present stream, or nothing it could use has come. */
  #unanswered(typeUrl: string): boolean {
    return !this.#types.get(typeUrl)?.asking || !this.#judged(typeUrl);
  }

  #judged(typeUrl: string): boolean {
    const held = this.#types.get(typeUrl)?.held;
    return held !== undefined && (held.answered || held.rejected.size > 0);
  }

  #outstanding(): number {
    let total = 0;
    for (const { pushes } of this.#types.values()) total += pushes.size;
    return total;
  }
}
