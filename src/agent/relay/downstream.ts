import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { Logger } from '../../telemetry/index.ts';
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
  readonly usage: UsageRelay;
  /** Called after each request of Envoy. */
  readonly onRequest: () => void;
}

/** Envoy's side of the relay: an ADS server on a unix socket, for one Envoy at a time. */
export class Downstream {
  readonly #options: DownstreamOptions;
  // Envoy's first request lists every version it holds, which at many thousand resources exceeds the default of 4 MiB.
  readonly #server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 });
  #stream: DeltaServerStream | undefined;

  constructor(options: DownstreamOptions) {
    this.#options = options;
    serveDelta(this.#server, (stream) => this.#accept(stream));
    options.usage.serve(this.#server);
  }

  /** Resolves when Envoy can connect; rejects when the socket cannot be made. */
  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(`unix:${this.#options.socketPath}`, ServerCredentials.createInsecure(), (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Ends Envoy's stream and stops listening. */
  close(): void {
    this.#server.forceShutdown();
  }

  /** A newer stream replaces the older one, which is what is left of an Envoy that ended. */
  #accept(stream: DeltaServerStream): void {
    const { relay, logger } = this.#options;
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
      this.#options.logger.error({ err: error }, 'a request of Envoy could not be handled; its stream is closed');
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
