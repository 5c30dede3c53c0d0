import { Client, type Metadata, type StatusObject, status } from '@grpc/grpc-js';
import type { SecretText } from '../../config/index.ts';
import { type DatabaseFault, databaseFaultsText, databaseFaultsType, goodbyeType } from '../../contracts/index.ts';
import type { Backoff } from '../../std/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { type Access, connectTimeoutMs as usualConnectTimeoutMs } from '../access/index.ts';
import type { Clock } from '../clock.ts';
import { asAgent } from './as-agent.ts';
import { ready } from './channel-ready.ts';
import { type DeltaRequest, type DeltaResponse, deltaRequest } from './delta-messages.ts';
import { keepalive } from './keepalive.ts';
import type { Relay } from './relay.ts';
import { type DeltaClientStream, openDeltaStream } from './service.ts';
import { type StreamEnd, streamEnd } from './stream-end.ts';

export interface UpstreamOptions {
  /** The control plane's `host:port`. */
  readonly address: string;
  readonly access: Access;
  readonly relay: Relay;
  /** What the agent's reports ask for: sent with the node to the control plane, and to nothing else. */
  readonly reportToken: SecretText;
  /** What is wrong with databases of places now. */
  readonly databaseFaults: () => readonly DatabaseFault[];
  readonly logger: Logger;
  readonly clock: Clock;
  /** How long to wait after a stream that broke. */
  readonly backoff: Backoff;
  /** How long to wait after a stream that another one of the same node id replaced. */
  readonly supersededBackoff: Backoff;
  /** How long an attempt to connect may take. */
  readonly connectTimeoutMs?: number;
  /** Called when a stream, or the attempt at one, is over. */
  readonly onLeft?: () => void;
}

/** A stream that lived this long was a good one: waits start over from the shortest. */
const steadyMs = 10_000;
/** The same for streams that were replaced: two nodes with one id replace each other at every return. */
const unchallengedMs = 300_000;

/** Two that replace each other do so at least every two minutes. */
const rivalryMs = 600_000;

/**
 * The control plane's side of the relay: one delta ADS stream, opened again after each end, with exponential backoff.
 * A stream that was superseded waits longer, and longer each time, so that two nodes with one id do not push each other
 * off many times a second.
 */
export class Upstream {
  readonly #options: UpstreamOptions;
  #connectedSince: Date | undefined;
  #lastConnectedAt: Date | undefined;
  #streams = 0;
  #superseded = 0;
  #supersededAt: Date | undefined;
  #lastDisconnectReason: string | undefined;
  #unsupported: string | undefined;
  /** Sends on the present stream, once its first request is out. */
  #send: ((request: DeltaRequest) => void) | undefined;
  #renew: (() => void) | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /** Undefined while there is no stream. */
  get connectedSince(): Date | undefined {
    return this.#connectedSince;
  }

  /** When there last was a stream, which is now while there is one; undefined: never yet. */
  get lastConnectedAt(): Date | undefined {
    return this.#connectedSince ? this.#options.clock.now() : this.#lastConnectedAt;
  }

  /**
   * How many streams the control plane took after the first. One counts from the first sign that it was taken. Attempts do not count that
   * reach no control plane, one that is about to end, or one that rejects: else an outage would look like an unstable stream.
   */
  get reconnects(): number {
    return Math.max(0, this.#streams - 1);
  }

  get supersededCount(): number {
    return this.#superseded;
  }

  /** Another data plane replaced a stream of this one not long ago: both have the same node id. */
  get duplicateNodeId(): boolean {
    if (!this.#supersededAt) return false;
    return this.#options.clock.now().getTime() - this.#supersededAt.getTime() < rivalryMs;
  }

  /** When a stream was last replaced by another one; undefined: never yet. */
  get supersededAt(): Date | undefined {
    return this.#supersededAt;
  }

  /** Why the control plane serves no Envoy of this version, in its words; undefined when it does, or did not say. */
  get unsupported(): string | undefined {
    return this.#unsupported;
  }

  /** Opens the stream again: another Envoy has taken over, which may be of another version, and take what the one before rejected. */
  renew(): void {
    this.#renew?.();
  }

  /** Reports to the control plane what is wrong with databases now. A stream that begins later says it by itself. */
  databasesChanged(): void {
    const message = databaseFaultsText(this.#options.databaseFaults());
    this.#send?.(deltaRequest({ typeUrl: databaseFaultsType, error: { code: status.OK, message } }));
  }

  get lastDisconnectReason(): string | undefined {
    return this.#lastDisconnectReason;
  }

  /** Keeps a stream open until `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { address, access } = this.#options;
    const open = () => new Client(address, access.credentials, { ...channelOptions, ...access.channelOptions });
    let client = open();
    while (!signal.aborted) {
      const end = await this.#attempt(client, signal);
      if (end.unanswered) {
        client.close();
        client = open();
      }
      if (!signal.aborted) await this.#wait(client, end, signal);
    }
    client.close();
  }

  /** The channel tries again by itself after a connection that failed; the wait ends early when it comes through. */
  async #wait(client: Client, end: StreamEnd, signal: AbortSignal): Promise<void> {
    if (end.renewed) return;
    const waitMs = this.#judge(end);
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal]);
    const delay = this.#options.clock.delay(waitMs, until).catch(() => undefined);
    const early = async () => (await ready(client, waitMs)) || delay;
    await (end.unconnected ? Promise.race([delay, early()]) : delay);
    over.abort();
  }

  /** Logs and counts the end of a stream; gives the time to wait before the next. */
  #judge({ reason, superseded, rejected, unsupported, unconnected }: StreamEnd): number {
    const { backoff, supersededBackoff, logger, address } = this.#options;
    const waitMs = Math.round((superseded ? supersededBackoff : backoff).next());
    this.#lastDisconnectReason = reason;
    if (!unconnected) this.#unsupported = unsupported;
    const facts = { controlplane_address: address, reason, retry_in_ms: waitMs };
    if (superseded) {
      this.#superseded += 1;
      this.#supersededAt = this.#options.clock.now();
      logger.warn(facts, 'stream superseded: another data plane connected with the same node_id');
    } else if (rejected) logger.warn(facts, 'the control plane rejects this data plane; serving what is held');
    else logger.warn(facts, 'no stream to the control plane; serving what is held');
    return waitMs;
  }

  /** One stream, if what it takes is there. */
  async #attempt(client: Client, signal: AbortSignal): Promise<StreamEnd> {
    let metadata: Metadata;
    try {
      metadata = await this.#options.access.metadata();
    } catch (error) {
      return { reason: (error as Error).message, superseded: false };
    }
    if (signal.aborted) return { reason: 'stopping', superseded: false };
    return await this.#stream(client, metadata, signal);
  }

  /** One stream, from the attempt to its end. */
  async #stream(client: Client, metadata: Metadata, signal: AbortSignal): Promise<StreamEnd> {
    const { connectTimeoutMs = usualConnectTimeoutMs } = this.#options;
    const stream = openDeltaStream(client, metadata);
    let joined = false;
    let renewed = false;
    this.#renew = () => {
      renewed = true;
      stream.cancel();
    };
    const leave = () => (joined ? sayGoodbye(stream) : stream.cancel());
    signal.addEventListener('abort', leave, { once: true });
    const ended = ending(stream);
    stream.once('metadata', () => this.#taken());
    stream.on('data', (response: DeltaResponse) => {
      this.#taken();
      this.#take(stream, response);
    });
    try {
      const connected = await Promise.race([ready(client, connectTimeoutMs), ended]);
      joined = connected === true;
      if (joined) this.#join(stream);
      else if (connected === false) stream.cancel();
      const end = await ended;
      if (connected === false)
        return { reason: 'no connection in time', superseded: false, unconnected: true, unanswered: true };
      return { ...end, unconnected: connected !== true, renewed: renewed && joined };
    } finally {
      signal.removeEventListener('abort', leave);
      this.#send = undefined;
      this.#renew = undefined;
      if (joined) this.#options.relay.controlPlaneLeft();
      this.#leave();
      this.#options.onLeft?.();
    }
  }

  #join(stream: DeltaClientStream): void {
    const { relay, reportToken, databaseFaults } = this.#options;
    relay.controlPlaneJoined((request) => {
      stream.write(asAgent(request, { tries: relay.tries, reportToken, databaseFaults }));
      this.#send = (later) => stream.write(later);
    });
  }

  /** The control plane has taken the stream. */
  #taken(): void {
    if (this.#connectedSince) return;
    const { clock, logger, address } = this.#options;
    this.#connectedSince = clock.now();
    this.#unsupported = undefined;
    this.#streams += 1;
    logger.info(
      { controlplane_address: address, stream_reconnects: this.reconnects },
      'connected to the control plane',
    );
  }

  /** An answer that the relay cannot take ends the stream: the next one starts from what Envoy acknowledged. */
  #take(stream: DeltaClientStream, response: DeltaResponse): void {
    try {
      this.#options.relay.controlPlaneAnswered(response);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'failed to handle an answer of the control plane');
      stream.cancel();
    }
  }

  #leave(): void {
    if (!this.#connectedSince) return;
    this.#lastConnectedAt = this.#options.clock.now();
    const livedMs = this.#lastConnectedAt.getTime() - this.#connectedSince.getTime();
    this.#connectedSince = undefined;
    if (livedMs >= steadyMs) this.#options.backoff.reset();
    if (livedMs >= unchallengedMs) this.#options.supersededBackoff.reset();
  }
}

const channelOptions = {
  // Of connecting. What was connected and broke is waited for here, where it is counted and logged.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 5000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_retries': 0,
  // A first answer at 20,000 hosts is far above the default of 4 MiB.
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  ...keepalive,
};

/** How long a control plane may take to hear it. */
const goodbyeMs = 1000;

/** Ends the stream for good: the control plane is not to wait for this data plane. */
function sayGoodbye(stream: DeltaClientStream): void {
  stream.write(deltaRequest({ typeUrl: goodbyeType }));
  const timer = setTimeout(() => stream.cancel(), goodbyeMs);
  stream.once('status', () => clearTimeout(timer));
}

/** Resolves with the reason when the stream is over, however it ended. */
function ending(stream: DeltaClientStream): Promise<StreamEnd> {
  // What the error says is in the status, which follows each error.
  stream.on('error', () => undefined);
  return new Promise((resolve) => {
    stream.on('status', ({ code, details }: StatusObject) => resolve(streamEnd(code, details)));
  });
}
