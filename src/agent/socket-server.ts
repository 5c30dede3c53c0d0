import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { SocketPath } from './socket-path.ts';

export interface SocketServerOptions {
  /** The unix socket to listen on; the folder around it keeps others out. */
  readonly socketPath: string;
  readonly answer: RequestListener;
  /** Bytes of a request's headers; Node's default is 16 KiB. */
  readonly maxHeaderSize?: number;
}

/** Connections that wait to be taken: Envoy opens one for each question at a time, and a connection too many fails at once. The system's own limit is 4,096. */
const backlog = 4096;

/** Answers what Envoy asks by HTTP/1.1 over a unix socket, which another process may remove. */
export class SocketServer {
  readonly #options: SocketServerOptions;
  readonly #place: SocketPath;
  #server: Server | undefined;
  #closed = false;

  constructor(options: SocketServerOptions) {
    this.#options = options;
    this.#place = new SocketPath(options.socketPath);
  }

  /** Resolves when Envoy can connect, even after the socket was removed; rejects when it cannot be made. */
  listen(): Promise<void> {
    return this.#place.ensure(() => this.#bind());
  }

  close(): void {
    this.#closed = true;
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  async #bind(): Promise<void> {
    if (this.#closed) return;
    // Its connections stay: only the removed socket is closed, which no client can find.
    this.#server?.close();
    this.#server = undefined;
    await this.#place.clear();
    const { answer, maxHeaderSize } = this.#options;
    const server = createServer(maxHeaderSize === undefined ? {} : { maxHeaderSize }, answer);
    // Envoy keeps its connections, and a request on one that is being closed from here would be lost.
    server.keepAliveTimeout = 0;
    server.listen({ path: this.#place.path, backlog });
    await once(server, 'listening');
    this.#server = server;
    if (this.#closed) this.close();
    else await this.#place.bound();
  }
}
