import { Metadata, type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { TerminationReason, XdsMetrics } from '../metrics.ts';
import type { Nack, NodeEvent } from '../nodes/node-event.ts';
import { identify, type NodeIdentity } from '../nodes/node-identity.ts';
import type { NodeRecord } from '../nodes/node-record.ts';
import type { Claimant, NodeRegistry } from '../nodes/node-registry.ts';
import { isNewerEnvoy, olderEnvoy } from '../nodes/supported-envoy.ts';
import type { ClientRefusal } from '../rejections/refusals.ts';
import type { Variant } from '../session/channel.ts';
import type { Edition, ResourceGroup } from '../session/resource-group.ts';
import { type Push, Session } from '../session/session.ts';
import { type DecodedRequest, decodeRequest, excessOf } from '../session/session-request.ts';
import { isKnownType } from '../session/type-traits.ts';
import {
  type Admission,
  AdmissionError,
  type Authenticator,
  bearerToken,
  type ClientCertificate,
} from './admission.ts';
import { type ClientLog, hostOf } from './client-log.ts';
import { clientText } from './client-text.ts';
import { limits } from './limits.ts';
import type { Pump } from './pump-queue.ts';
import type { XdsLogger } from './xds-logger.ts';

export type AdsCall = ServerDuplexStream<Uint8Array, Uint8Array>;

/** What a stream needs of the server. */
export interface StreamHost {
  readonly logger: XdsLogger;
  readonly metrics: XdsMetrics;
  readonly registry: NodeRegistry;
  readonly clock: () => Date;
  /** Without it every client is taken at its word. */
  readonly authenticator?: Authenticator | undefined;
  /** What the client of a connection showed when it connected. */
  certificateOf(peer: string): ClientCertificate;
  /** Whether a refusal is worth a line, and how many like it were not; see RefusalLog. */
  admitLine(line: string): number | undefined;
  /** For every other line that a client can cause. */
  readonly clientLog: ClientLog;
  readonly limits: {
    readonly firstRequestMs: number;
    readonly ackTimeoutMs: number;
    readonly sendTimeoutMs: number;
    readonly maxResponseBytes: number;
    readonly maxFirstRoutesBytes: number;
    readonly bindRetryMs: number;
    readonly lingerMs: number;
  };
  groupOf(key: string): ResourceGroup;
  newest(group: ResourceGroup): Edition;
  emit(event: NodeEvent): void;
  /** Why a stream of this group may not wait for its first publication; undefined: it may, or need not. */
  faultOfWaiting(group: ResourceGroup): string | undefined;
  /** The stream has said who it is. */
  identified(stream: AdsStream): void;
  /** A node that names no Gateway which was published is served by this group, and waits. */
  unknownGateway(identity: NodeIdentity, peer: string): void;
  /** Has the stream write when it is its turn, which may be now. */
  inTurn(stream: AdsStream): void;
  /** The stream has nothing to send and waits for no answer. */
  caughtUp(stream: AdsStream): void;
  ended(stream: AdsStream): void;
}

/** A stream whose first request said who it is. */
interface Served {
  readonly identity: NodeIdentity;
  readonly group: ResourceGroup;
  readonly session: Session;
  readonly record: NodeRecord;
}

const codes: Record<TerminationReason, status> = {
  shutdown: status.UNAVAILABLE,
  client_disconnect: status.OK,
  superseded: status.ABORTED,
  send_timeout: status.DEADLINE_EXCEEDED,
  ack_timeout: status.DEADLINE_EXCEEDED,
  first_request_timeout: status.DEADLINE_EXCEEDED,
  invalid_request: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  limit_exceeded: status.RESOURCE_EXHAUSTED,
  unsupported_version: status.FAILED_PRECONDITION,
  error: status.INTERNAL,
};

/**
 * One gRPC stream: reads requests, writes what its session has to say, and ends.
 *
 * States: *unknown* (who the client is, is being found out; nothing is read) → *open* (no request yet) → *served* (the
 * first request named the node, which this stream now stands for) → *ended* for one reason. Each response is written only
 * when the one before has left (gRPC's own back pressure), so a client that does not read holds one response, and
 * everything newer waits in the session, newest only.
 */
export class AdsStream implements Claimant, Pump {
  readonly #call: AdsCall;
  readonly #variant: Variant;
  readonly #host: StreamHost;
  readonly #peer: string;
  #admission: Admission | undefined;
  #served: Served | undefined;
  #writingSinceMs: number | undefined;
  /** Since when its first request is waited for, and whether before that who it is. */
  #openedMs = performance.now();
  #admitting = false;
  #ended = false;

  constructor(call: AdsCall, variant: Variant, host: StreamHost) {
    this.#call = call;
    this.#variant = variant;
    this.#host = host;
    this.#peer = call.getPeer();
  }

  /** The group of the node, once it is known. */
  get group(): ResourceGroup | undefined {
    return this.#served?.group;
  }

  start(): void {
    const { metrics, authenticator } = this.#host;
    metrics.streamOpened(this.#variant);
    this.#call.on('cancelled', () => this.end('client_disconnect', 'the client has gone'));
    if (authenticator === undefined) this.#read();
    else void this.#admit(authenticator);
  }

  async #admit(authenticator: Authenticator): Promise<void> {
    this.#admitting = true;
    const token = bearerToken(this.#call.metadata.get('authorization')[0]);
    try {
      this.#admission = await authenticator.admit({ token, certificate: this.#host.certificateOf(this.#peer) });
    } catch (error) {
      this.#refuse(error);
      return;
    }
    this.#admitting = false;
    this.#openedMs = performance.now();
    if (!this.#ended) this.#read();
  }

  #refuse(error: unknown): void {
    if (!(error instanceof AdmissionError)) {
      this.#fail(error);
      return;
    }
    if (error.code === 'unauthenticated') this.end('unauthenticated', error.message);
    else this.end('error', error.message, status.UNAVAILABLE);
  }

  #read(): void {
    this.#call.on('data', (bytes: Uint8Array) => this.#guarded(() => this.#receive(bytes)));
    this.#call.on('end', () => this.end('client_disconnect', 'the client has closed the stream'));
  }

  /** Writes what may be written now. */
  pump(): void {
    this.#guarded(() => this.#write());
  }

  /** Offers the client once more what it refused. */
  offerAgain(): void {
    this.#guarded(() => this.#served?.session.offerAgain());
    this.pump();
  }

  supersede(by: string): void {
    const nodeId = this.#served?.identity.nodeId;
    this.end('superseded', `superseded by a newer stream of node_id ${nodeId} from ${by}`);
  }

  /** Looks at the clock: ends the stream if its client owes an answer, or a read, for too long; lets it see to what is due. */
  tick(nowMs: number): void {
    this.#checkTimeouts(nowMs);
    if (this.#served?.session.tick(nowMs)) this.pump();
  }

  #checkTimeouts(nowMs: number): void {
    const { firstRequestMs, ackTimeoutMs, sendTimeoutMs } = this.#host.limits;
    if (this.#served === undefined) {
      if (nowMs - this.#openedMs >= firstRequestMs) this.#late(firstRequestMs);
      return;
    }
    if (this.#writingSinceMs !== undefined) {
      if (nowMs - this.#writingSinceMs >= sendTimeoutMs) this.#stalled(sendTimeoutMs);
      return;
    }
    const waitingMs = nowMs - (this.#served?.session.waitingSinceMs ?? nowMs);
    if (waitingMs >= ackTimeoutMs) this.end('ack_timeout', `no ACK or NACK within ${ackTimeoutMs} ms`);
  }

  #late(firstRequestMs: number): void {
    if (this.#admitting) this.end('error', 'who the client is cannot be found out in time', status.UNAVAILABLE);
    else this.end('first_request_timeout', `no request within ${firstRequestMs} ms`);
  }

  /** Another stream may have the place of this one, which has not said who it is. */
  giveWay(): void {
    this.end('limit_exceeded', 'too many streams have not said who they are');
  }

  /** Ends the stream with a gRPC status that says why. Once. */
  end(reason: TerminationReason, details: string, code: status = codes[reason]): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#leave(reason, details);
    this.#host.metrics.streamClosed(reason);
    this.#host.ended(this);
    // grpc-js takes an error event on a server stream as the status to end it with.
    if (reason === 'client_disconnect') this.#call.end();
    else this.#call.emit('error', Object.assign(new Error(details), { code, details }));
  }

  #leave(reason: TerminationReason, details: string): void {
    const { logger, registry, emit } = this.#host;
    const level = reason === 'client_disconnect' || reason === 'shutdown' ? 'info' : 'warn';
    if (this.#served === undefined) {
      // Clients try again and again, and whoever reaches the port may try.
      const held = this.#host.admitLine(`${hostOf(this.#peer)} ${details}`);
      if (held === undefined) return;
      const facts = { peer: this.#peer, reason, details, ...(held > 0 && { held_back: held }) };
      logger[level](facts, 'xDS stream refused or ended before its first request');
      return;
    }
    const { identity, group, session, record } = this.#served;
    group.leave(session);
    this.#log(level, () => ({ reason, details }), 'xDS stream ended');
    if (registry.release(identity, this, reason)) emit({ kind: 'disconnected', node: record.view, reason });
    for (const node of registry.takeExcess()) emit({ kind: 'forgotten', node });
  }

  /** A line that the client caused. */
  #log(level: 'info' | 'warn', facts: () => object, message: string): boolean {
    const { nodeId, cluster } = this.#served!.identity;
    const who = { node_id: nodeId, cluster, peer: this.#peer };
    return this.#host.clientLog.write(level, this.#peer, () => ({ ...who, ...facts() }), message);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#ended) return;
    const decoded = this.#decode(bytes);
    if (decoded === undefined) return;
    const excess = excessOf(decoded.request);
    if (excess !== undefined) {
      this.end('invalid_request', excess);
      return;
    }
    const served = this.#served ?? this.#serve(decoded);
    if (served === undefined) return;
    served.record.seen(this.#host.clock());
    served.session.request(decoded.request, performance.now());
    if (this.#isTooMuch(served.session)) return;
    this.#host.inTurn(this);
  }

  #isTooMuch({ held, subscriptions }: Session): boolean {
    const { typesPerStream, namesPerStream, nameTextPerStream } = limits;
    const what =
      subscriptions.length > typesPerStream
        ? `more than ${typesPerStream} types`
        : held.names > namesPerStream || held.text > nameTextPerStream
          ? `more than ${namesPerStream} names, or ${nameTextPerStream} characters of them`
          : undefined;
    if (what !== undefined) this.end('limit_exceeded', `the stream asks for ${what}`);
    return what !== undefined;
  }

  #decode(bytes: Uint8Array): DecodedRequest | undefined {
    try {
      const decoded = decodeRequest(this.#variant, bytes);
      if (decoded.request.typeUrl !== '') return decoded;
      this.end('invalid_request', 'type_url is empty');
    } catch (error) {
      this.end('invalid_request', clientText((error as Error).message, limits.idLength));
    }
    return undefined;
  }

  /** The first request: takes the node's place, whoever had it before. */
  #serve({ node }: DecodedRequest): Served | undefined {
    const identity = identify(node);
    if ('fault' in identity) {
      this.end('invalid_request', identity.fault);
      return undefined;
    }
    const refusal = this.#admission?.refuses(identity);
    if (refusal !== undefined) {
      this.end('unauthenticated', refusal, status.PERMISSION_DENIED);
      return undefined;
    }
    const older = olderEnvoy(identity.userAgent);
    if (older !== undefined) {
      this.end('unsupported_version', older);
      return undefined;
    }
    const group = this.#host.groupOf(identity.cluster);
    const fault = this.#host.faultOfWaiting(group);
    if (fault !== undefined) {
      this.end('limit_exceeded', fault);
      return undefined;
    }
    const session = this.#openSession(identity, group);
    const connection = {
      identity,
      variant: this.#variant,
      peer: this.#peer,
      subscriptions: () => session.subscriptions,
    };
    const { record, superseded } = this.#host.registry.claim(connection, this);
    const served = { identity, group, session, record };
    this.#served = served;
    this.#host.identified(this);
    group.join(session);
    // A node that has everything gets no answer: this is how it knows that it is connected.
    this.#call.sendMetadata(new Metadata());
    const proven = this.#admission && { identity: this.#admission.subject };
    const versions = { envoy: identity.envoyVersion, agent: identity.version };
    this.#log('info', () => ({ stream: this.#variant, ...versions, ...proven }), 'dataplane connected');
    if (isNewerEnvoy(identity.userAgent)) this.#log('warn', () => ({ envoy: identity.envoyVersion }), untested);
    if (!group.published) this.#host.unknownGateway(identity, this.#peer);
    if (superseded !== undefined) this.#takeOver(served, superseded);
    this.#host.emit({ kind: 'connected', node: record.view });
    return served;
  }

  #takeOver({ record }: Served, superseded: Claimant): void {
    this.#log(
      'warn',
      () => ({ superseded_count: record.view.supersededCount }),
      'draining superseded stream: a newer one has the same node_id',
    );
    superseded.supersede(this.#peer);
    this.#host.emit({ kind: 'superseded', node: record.view, peer: this.#peer });
  }

  #openSession(identity: NodeIdentity, group: ResourceGroup): Session {
    const { limits, newest } = this.#host;
    return new Session({
      variant: this.#variant,
      group,
      newest: () => newest(group),
      wantsManifest: identity.version !== '',
      maxResponseBytes: limits.maxResponseBytes,
      maxFirstRoutesBytes: limits.maxFirstRoutesBytes,
      bindRetryMs: limits.bindRetryMs,
      lingerMs: limits.lingerMs,
      clock: this.#host.clock,
      observer: {
        acked: (answer) => this.#acked(answer),
        nacked: (nack, ms) => this.#nacked(nack, ms),
        refused: (refusal) => this.#refused(refusal),
        relented: (refusal) => this.#relented(refusal),
        applied: (snapshot) => this.#applied(snapshot),
      },
    });
  }

  #write(): void {
    if (this.#ended || this.#writingSinceMs !== undefined || this.#served === undefined) return;
    const now = performance.now();
    const { session } = this.#served;
    const push = session.next(now);
    if (push === undefined) {
      if (session.waitingSinceMs === Number.POSITIVE_INFINITY) this.#host.caughtUp(this);
      return;
    }
    this.#writingSinceMs = now;
    this.#sent(push, this.#served);
    this.#call.write(push.bytes, () => {
      this.#writingSinceMs = undefined;
      this.pump();
    });
  }

  #sent({ typeUrl, nonce, snapshot, bytes, resources }: Push, { record, identity }: Served): void {
    record.sent(snapshot);
    this.#host.metrics.pushed({ typeUrl: measured(typeUrl), bytes: bytes.length, resources });
    const what = { node_id: identity.nodeId, type: typeUrl, nonce, snapshot, bytes: bytes.length, resources };
    this.#host.logger.debug(what, 'xDS push');
  }

  #acked({ typeUrl, snapshot, nonce, ms }: { typeUrl: string; snapshot: string; nonce: string; ms: number }): void {
    const { record, session } = this.#served!;
    record.acked({ snapshot, nonce }, session.rejects);
    this.#host.metrics.answered({ typeUrl: measured(typeUrl), status: 'ACK', ms });
    this.#host.emit({ kind: 'acked', node: record.view, typeUrl, snapshot });
  }

  #nacked(read: Nack, ms: number): void {
    const { record } = this.#served!;
    // As much as is shown; what it says of each resource was read before.
    const nack = { ...read, message: clientText(read.message, limits.nackTextKept, '…') };
    const { typeUrl, snapshot, nonce, message, certain } = nack;
    // A batch may be large; who is at fault is said by the NACK that is certain.
    const resources = nack.resources.slice(0, 10).map(({ name, version }) => `${name}@${version}`);
    record.nacked(nack);
    this.#host.metrics.answered({ typeUrl: measured(typeUrl), status: 'NACK', ms });
    this.#log(
      'warn',
      () => ({ type: typeUrl, snapshot, nonce, error: message, resources, certain }),
      'xDS push was refused (NACK)',
    );
    this.#host.emit({ kind: 'nacked', node: record.view, nack });
  }

  #refused(refusal: ClientRefusal): void {
    const { record, session } = this.#served!;
    const { kind, key, message } = refusal;
    record.refuses(session.refusals);
    const error = clientText(message, limits.nackTextKept, '…');
    this.#log('warn', () => ({ kind, key, error }), 'configuration is refused');
    this.#host.emit({ kind: 'refused', node: record.view, refusal });
  }

  #relented(refusal: ClientRefusal): void {
    const { record, session } = this.#served!;
    record.refuses(session.refusals);
    this.#host.emit({ kind: 'relented', node: record.view, refusal });
  }

  #applied(snapshot: string): void {
    const { record, identity } = this.#served!;
    record.applied(snapshot);
    this.#host.logger.debug({ node_id: identity.nodeId, snapshot }, 'snapshot applied');
    this.#host.emit({ kind: 'applied', node: record.view, snapshot });
  }

  // The status would queue up behind what the client does not read, so the stream is reset as well.
  #stalled(sendTimeoutMs: number): void {
    this.end('send_timeout', `the client has not read for ${sendTimeoutMs} ms`);
    resetStream(this.#call);
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#host.logger.error(
      { err: error, node_id: this.#served?.identity.nodeId, peer: this.#peer },
      'xDS stream failed',
    );
    this.end('error', 'internal error');
  }
}

const untested = 'this Envoy is newer than the one that configuration is tested with';

// A series of metrics for each text that clients make up would never end.
const measured = (typeUrl: string): string => (isKnownType(typeUrl) ? typeUrl : 'other');

// grpc-js has no public way to reset a server stream; without this one a client that never reads pins its last response.
function resetStream(call: AdsCall): void {
  const { stream } = (call as unknown as { call?: { stream?: { close?: (code: number) => void } } }).call ?? {};
  const cancel = 0x8;
  stream?.close?.(cancel);
}
