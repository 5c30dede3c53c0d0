import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { Logger } from '../../telemetry/index.ts';
import { SocketPath } from '../socket-path.ts';
import type { DeltaRequest } from './delta-messages.ts';
import { withoutExtensions } from './node.ts';
import type { Relay } from './relay.ts';
import { type DeltaServerStream, serveDelta } from './service.ts';
import type { UsageRelay } from './usage-relay.ts';

export interface DownstreamOptions {
  /** The unix socket to listen on; the folder around it keeps others out. */
  readonly socketPath: string;
  readonly relay: Relay;
  readonly logger: Logger;
  readonly usage: Pick<UsageRelay, 'serve'>;
  /** Of requests that are under way. */
  readonly limits: { serve(server: Server): void };
  /** Called after each request of Envoy. */
  readonly onRequest: () => void;
  /** Called when Envoy opens a stream, before the relay handles it. */
  readonly onStream?: () => void;
}

// Envoy's first request lists every version it holds, which at many thousand resources exceeds the default of 4 MiB.
const serverOptions = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 };

/** Envoy's side of the relay: an ADS server on a unix socket, for one Envoy at a time. */
export class Downstream {
  readonly #options: DownstreamOptions;
  /** The last one listens; those before it have what was connected before their socket was removed. */
  readonly #servers: Server[] = [];
  #stream: DeltaServerStream | undefined;
  readonly #place: SocketPath;
  #suspended = false;
  #closed = false;

  constructor(options: DownstreamOptions) {
    this.#options = options;
    this.#place = new SocketPath(options.socketPath);
  }

  /**
   * Resolves when Envoy can connect, even after the socket was removed; rejects when it cannot be made. What is connected
   * stays so.
   */
  listen(): Promise<void> {
    return this.#place.ensure(() => this.#bind());
  }

  async #bind(): Promise<void> {
    if (this.#closed) return;
    const place = `unix:${this.#place.path}`;
    this.#servers.at(-1)?.unbind(place);
    await this.#place.clear();
    // A server that could not bind says of the same place from then on that it has.
    const server = new Server(serverOptions);
    serveDelta(server, (stream) => this.#accept(stream));
    this.#options.usage.serve(server);
    this.#options.limits.serve(server);
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(place, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
    });
    this.#servers.push(server);
    if (this.#closed) server.forceShutdown();
    else await this.#place.bound();
  }

  /** Takes nothing of this Envoy any more: another one has taken over, and the relay knows. */
  suspend(): void {
    this.#suspended = true;
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.end();
  }

  /** The other one is gone. */
  resume(): void {
    this.#suspended = false;
  }

  /** Ends Envoy's stream and stops listening. */
  close(): void {
    this.#closed = true;
    for (const server of this.#servers) server.forceShutdown();
  }

  /** A newer stream replaces the older one, which is what is left of an Envoy that ended. */
  #accept(stream: DeltaServerStream): void {
    const { relay, logger } = this.#options;
    if (this.#suspended) {
      stream.emit('error', { code: status.UNAVAILABLE, details: 'another Envoy has taken over' });
      return;
    }
    this.#options.onStream?.();
    const former = this.#stream;
    this.#stream = stream;
    former?.end();
    relay.envoyJoined((response) => stream.write(response));
    logger.debug('Envoy opened its stream');
    stream.on('data', (request: DeltaRequest) => this.#take(stream, request));
    stream.on('end', () => {
      this.#leave(stream);
      stream.end();
    });
    stream.on('cancelled', () => this.#leave(stream));
    stream.on('error', () => this.#leave(stream));
  }

  #take(stream: DeltaServerStream, request: DeltaRequest): void {
    if (stream !== this.#stream) return;
    try {
      this.#options.relay.envoyAsked(request, request.node && withoutExtensions(request.node));
    } catch (error) {
      this.#options.logger.error({ err: error }, 'failed to handle a request of Envoy; closing its stream');
      stream.emit('error', { code: status.INTERNAL, details: 'the agent could not handle the request' });
      return;
    }
    this.#options.onRequest();
  }

  #leave(stream: DeltaServerStream): void {
    if (stream !== this.#stream) return;
    this.#stream = undefined;
    this.#options.relay.envoyLeft();
    this.#options.logger.debug('Envoy left its stream');
  }
}
