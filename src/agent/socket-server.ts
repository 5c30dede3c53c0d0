import { createServer, type RequestListener, type Server } from 'node:http';
import { ListeningSocket } from './listening-socket.ts';

export interface SocketServerOptions {
  /** The unix socket to listen on; the folder around it keeps others out. */
  readonly socketPath: string;
  readonly answer: RequestListener;
  /** Bytes of a request's headers; Node's default is 16 KiB. */
  readonly maxHeaderSize?: number;
}

/** Answers what Envoy asks by HTTP/1.1 over a unix socket, which another process may remove. */
export class SocketServer {
  readonly #socket: ListeningSocket<Server>;

  constructor({ socketPath, answer, maxHeaderSize }: SocketServerOptions) {
    this.#socket = new ListeningSocket({
      socketPath,
      make: () => {
        const server = createServer(maxHeaderSize === undefined ? {} : { maxHeaderSize }, answer);
        // Envoy keeps its connections, and a request on one that is being closed from here would be lost.
        server.keepAliveTimeout = 0;
        return server;
      },
      stopListening: (server) => server.close(),
      endConnections: (server) => server?.closeAllConnections(),
    });
  }

  /** Resolves when Envoy can connect, even after the socket was removed; rejects when it cannot be made. */
  listen(): Promise<void> {
    return this.#socket.listen();
  }

  close(): void {
    this.#socket.close();
  }
}
