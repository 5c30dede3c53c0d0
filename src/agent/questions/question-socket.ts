import { createServer, type Server } from 'node:net';
import { ListeningSocket } from '../listening-socket.ts';
import { type Answering, QuestionConnection } from './question-connection.ts';

export interface QuestionSocketOptions {
  /** The unix socket to listen on; the folder around it keeps others out. */
  readonly socketPath: string;
  /** Answers every call, whatever its path. */
  readonly answer: Answering;
}

/**
 * Answers one unary method of gRPC over a unix socket. It is for what Envoy asks about each request to the gateway: Node's HTTP/2 takes twice as much CPU, because
 * it makes objects for a stream of each question.
 */
export class QuestionSocket {
  readonly #socket: ListeningSocket<Server>;
  readonly #connections = new Set<QuestionConnection>();

  constructor({ socketPath, answer }: QuestionSocketOptions) {
    this.#socket = new ListeningSocket({
      socketPath,
      make: () =>
        createServer((socket) => {
          const connection = new QuestionConnection(socket, answer);
          this.#connections.add(connection);
          socket.once('close', () => this.#connections.delete(connection));
        }),
      stopListening: (server) => server.close(),
      endConnections: () => {
        for (const connection of this.#connections) connection.destroy();
      },
    });
  }

  /** Resolves when Envoy can connect, even after the socket was removed; rejects when it cannot be made. */
  listen(): Promise<void> {
    return this.#socket.listen();
  }

  /** Ends all connections. */
  close(): void {
    this.#socket.close();
  }
}
