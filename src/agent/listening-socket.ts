import { once } from 'node:events';
import type { Server } from 'node:net';
import { SocketPath } from './socket-path.ts';

/** A server for a unix socket, which another process may remove. */
export interface SocketParts<S extends Server> {
  /** The unix socket to listen on; the folder around it keeps others out. */
  readonly socketPath: string;
  readonly make: () => S;
  /** Its connections stay: only the removed socket is closed, which no client can find. */
  readonly stopListening: (server: S) => void;
  readonly endConnections: (server: S | undefined) => void;
}

/** Connections that wait to be taken: Envoy opens many at a time, and a connection too many fails at once. The system's own limit is 4,096. */
const backlog = 4096;

/** Keeps a server at the path of its socket. */
export class ListeningSocket<S extends Server> {
  readonly #parts: SocketParts<S>;
  readonly #place: SocketPath;
  #server: S | undefined;
  #closed = false;

  constructor(parts: SocketParts<S>) {
    this.#parts = parts;
    this.#place = new SocketPath(parts.socketPath);
  }

  /** Resolves when Envoy can connect, even after the socket was removed; rejects when it cannot be made. */
  listen(): Promise<void> {
    return this.#place.ensure(() => this.#bind());
  }

  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.#parts.endConnections(this.#server);
  }

  async #bind(): Promise<void> {
    if (this.#closed) return;
    this.#stopListening();
    this.#server = undefined;
    await this.#place.clear();
    const server = this.#parts.make();
    server.listen({ path: this.#place.path, backlog });
    await once(server, 'listening');
    this.#server = server;
    if (this.#closed) this.close();
    else await this.#place.bound();
  }

  #stopListening(): void {
    if (this.#server) this.#parts.stopListening(this.#server);
  }
}
