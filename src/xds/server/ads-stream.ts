import { Metadata, status } from '@grpc/grpc-js';
import { databaseFaultsType, goodbyeType } from '../../contracts/index.ts';
import type { TerminationReason } from '../metrics.ts';
import type { NodeIdentity } from '../nodes/node-identity.ts';
import type { NodeRecord } from '../nodes/node-record.ts';
import type { Claimant, NodeRegistry } from '../nodes/node-registry.ts';
import type { Variant } from '../session/channel.ts';
import type { ResourceGroup } from '../session/resource-group.ts';
import type { Session } from '../session/session.ts';
import type { DecodedRequest } from '../session/session-request.ts';
import type { TrialQuestion } from '../session/trials.ts';
import { type Admission, AdmissionError, type Authenticator, bearerToken } from './admission.ts';
import { openSession } from './open-session.ts';
import { type Overdue, overdueOf, type Waiting } from './overdue.ts';
import { ResponseWriter } from './response-writer.ts';
import { endCodes, resetStream } from './stream-end.ts';
import { excessOfStream, identityOf, requestIn, type StreamFault } from './stream-faults.ts';
import type { AdsCall, HostedStream, StreamHost } from './stream-host.ts';
import { type Served, StreamReporter } from './stream-reporter.ts';

/**
 * One gRPC stream: reads requests, writes what its session has to say, and ends.
 *
 * States: *unknown* (who the client is, is being found out; nothing is read) → *open* (no request yet) → *served* (the
 * first request named the node, which this stream now stands for) → *ended* for one reason. Each response is written only
 * when the one before has left (gRPC's own back pressure), so a client that does not read holds one response, and
 * everything newer waits in the session, newest only.
 */
export class AdsStream implements Claimant, HostedStream {
  readonly #call: AdsCall;
  readonly #variant: Variant;
  readonly #host: StreamHost;
  readonly #peer: string;
  #admission: Admission | undefined;
  #served: Served | undefined;
  /** Since when its first request is waited for, and whether before that who it is. */
  #openedMs = performance.now();
  #admitting = false;
  #ended = false;
  /** The node said that it leaves. */
  #goodbye = false;
  readonly #reporter: StreamReporter;
  readonly #writer: ResponseWriter;

  constructor(call: AdsCall, variant: Variant, host: StreamHost) {
    this.#call = call;
    this.#variant = variant;
    this.#host = host;
    this.#peer = call.getPeer();
    this.#writer = new ResponseWriter(call);
    this.#reporter = new StreamReporter(host, this.#peer, () => this.#served!);
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
      this.#reject(error);
      return;
    }
    this.#admitting = false;
    this.#openedMs = performance.now();
    if (!this.#ended) this.#read();
  }

  #reject(error: unknown): void {
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

  /** Offers the client once more what it rejected. */
  offerAgain(): void {
    this.#guarded(() => this.#served?.session.offerAgain());
    this.pump();
  }

  ask(question: TrialQuestion): boolean {
    const isAsked = this.#served?.session.ask(question) ?? false;
    if (isAsked) this.pump();
    return isAsked;
  }

  supersede(by: string): void {
    const nodeId = this.#served?.identity.nodeId;
    this.end('superseded', `superseded by a newer stream of node_id ${nodeId} from ${by}`);
  }

  /** Looks at the clock: ends the stream if its client owes an answer, or a read, for too long; lets it see to what is due. */
  tick(nowMs: number): void {
    const overdue = overdueOf(this.#waiting(nowMs), this.#host.limits, nowMs);
    if (overdue !== undefined) this.#endOverdue(overdue);
    if (this.#served?.session.tick(nowMs)) this.pump();
  }

  #waiting(nowMs: number): Waiting {
    return {
      unknownSinceMs: this.#served === undefined ? this.#openedMs : undefined,
      admitting: this.#admitting,
      writingSinceMs: this.#writer.writingSinceMs,
      waitingSinceMs: this.#served?.session.waitingSinceMs ?? nowMs,
    };
  }

  #endOverdue(overdue: Overdue): void {
    this.#endFor(overdue);
    // The status would queue up behind what the client does not read, so the stream is reset as well.
    if (overdue.reason === 'send_timeout') resetStream(this.#call);
  }

  /** Another stream may have the place of this one, which has not said who it is. */
  giveWay(): void {
    this.end('limit_exceeded', 'too many streams have not said who they are');
  }

  /** Ends the stream with a gRPC status that says why. Once. */
  end(reason: TerminationReason, details: string, code: status = endCodes[reason]): void {
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
    const { registry, emit } = this.#host;
    const level = reason === 'client_disconnect' || reason === 'shutdown' ? 'info' : 'warn';
    if (this.#served === undefined) {
      this.#host.neverServed({ peer: this.#peer, level, reason, details });
      return;
    }
    const { identity, group, session, record } = this.#served;
    group.leave(session);
    this.#reporter.log(level, () => ({ reason, details }), 'xDS stream ended');
    const became = registry.release(identity, this, { reason, goodbye: this.#goodbye });
    if (became !== undefined) emit({ kind: 'disconnected', node: record.view, reason });
    if (became === 'gone') emit({ kind: 'forgotten', node: record.view });
    for (const node of registry.takeExcess()) emit({ kind: 'forgotten', node });
  }

  #receive(bytes: Uint8Array): void {
    if (this.#ended) return;
    const decoded = requestIn(this.#variant, bytes);
    if ('fault' in decoded) {
      this.#endFor(decoded.fault);
      return;
    }
    const served = this.#served ?? this.#serve(decoded);
    if (served === undefined) return;
    if (decoded.request.typeUrl === goodbyeType) {
      this.#goodbye = true;
      this.end('client_disconnect', 'the node leaves');
      return;
    }
    served.record.seen(this.#host.clock());
    if (decoded.request.typeUrl === databaseFaultsType) {
      this.#reporter.databases(decoded.request.error);
      return;
    }
    served.session.request(decoded.request, performance.now());
    if (this.#isTooMuch(served.session)) return;
    this.#host.inTurn(this);
  }

  #isTooMuch(session: Session): boolean {
    const excess = excessOfStream(session);
    if (excess !== undefined) this.end('limit_exceeded', `the stream asks for ${excess}`);
    return excess !== undefined;
  }

  #endFor({ reason, details, code }: StreamFault): void {
    this.end(reason, details, code);
  }

  /** The first request: takes the node's place, even where another stream has it. */
  #serve({ node }: DecodedRequest): Served | undefined {
    const identity = this.#identify(node);
    const group = identity && this.#groupFor(identity);
    if (identity === undefined || group === undefined) return undefined;
    const session = openSession(this.#host, { variant: this.#variant, identity, group, observer: this.#reporter });
    const { record, superseded } = this.#claim(identity, session);
    this.#served = { identity, group, session, record };
    this.#host.identified(this);
    group.join(session);
    // A node that has everything gets no answer: this is how it knows that it is connected.
    this.#call.sendMetadata(new Metadata());
    this.#reporter.connected(this.#variant, this.#admission && { identity: this.#admission.subject });
    if (!group.published) this.#host.unknownGateway(identity, this.#peer);
    if (superseded !== undefined) this.#takeOver(record, superseded);
    this.#host.emit({ kind: 'connected', node: record.view });
    return this.#served;
  }

  /** Who the node says it is, if it may be that here; else the stream ends. */
  #identify(node: DecodedRequest['node']): NodeIdentity | undefined {
    const identity = identityOf(node, this.#admission);
    if (!('fault' in identity)) return identity;
    this.#endFor(identity.fault);
    return undefined;
  }

  #groupFor({ cluster }: NodeIdentity): ResourceGroup | undefined {
    const group = this.#host.groupOf(cluster);
    const fault = this.#host.faultOfWaiting(group);
    if (fault === undefined) return group;
    this.end('limit_exceeded', fault);
    return undefined;
  }

  #takeOver(record: NodeRecord, superseded: Claimant): void {
    this.#reporter.superseding();
    superseded.supersede(this.#peer);
    this.#host.emit({ kind: 'superseded', node: record.view, peer: this.#peer });
  }

  #claim(identity: NodeIdentity, session: Session): ReturnType<NodeRegistry['claim']> {
    const connection = {
      identity,
      variant: this.#variant,
      peer: this.#peer,
      subscriptions: () => session.subscriptions,
    };
    return this.#host.registry.claim(connection, this);
  }

  #write(): void {
    if (this.#ended || this.#writer.writingSinceMs !== undefined || this.#served === undefined) return;
    const now = performance.now();
    const { session } = this.#served;
    const push = session.next(now);
    if (push === undefined) {
      if (session.waitingSinceMs === Number.POSITIVE_INFINITY) this.#host.caughtUp(this);
      return;
    }
    this.#reporter.sent(push);
    this.#writer.write(push.bytes, now, () => this.pump());
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
