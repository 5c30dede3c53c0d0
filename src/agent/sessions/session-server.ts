import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../../telemetry/index.ts';
import { SocketServer } from '../socket-server.ts';
import type { SessionTables } from './session-tables.ts';

export interface SessionServerOptions {
  /** The unix socket to listen on; the folder around it keeps others out. */
  readonly socketPath: string;
  readonly tables: Pick<SessionTables, 'find'>;
  readonly logger: Logger;
}

/**
 * Answers Envoy's `GET /table?lifetime=SECONDS&scope=SCOPE&endpoints=CLUSTER&have=VERSION` with the SessionTable: 200 with it, 304 when Envoy has it already,
 * 404 when there is none. `x-version` and `x-max-age` say the rest.
 */
export class SessionServer {
  readonly #options: SessionServerOptions;
  readonly #socket: SocketServer;

  constructor(options: SessionServerOptions) {
    this.#options = options;
    const { socketPath } = options;
    this.#socket = new SocketServer({ socketPath, answer: (request, response) => this.#answer(request, response) });
  }

  /** Resolves when Envoy can connect, even after the socket was removed; rejects when it cannot be made. */
  listen(): Promise<void> {
    return this.#socket.listen();
  }

  close(): void {
    this.#socket.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    try {
      this.#find(new URL(request.url ?? '/', 'http://agent').searchParams, response);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'failed to build a session table');
      response.writeHead(500).end();
    }
  }

  #find(query: URLSearchParams, response: ServerResponse): void {
    const lifetimeSeconds = Number(query.get('lifetime') ?? 0);
    if (!Number.isSafeInteger(lifetimeSeconds) || lifetimeSeconds < 0) {
      response.writeHead(400).end();
      return;
    }
    const table = this.#options.tables.find({
      cluster: query.get('endpoints') ?? '',
      scope: query.get('scope') ?? '',
      lifetimeSeconds,
    });
    if (!table) {
      response.writeHead(404).end();
      return;
    }
    const headers = { 'x-version': table.version, 'x-max-age': String(table.maxAgeSeconds) };
    if (table.version === query.get('have')) response.writeHead(304, headers).end();
    else response.writeHead(200, { ...headers, 'content-type': 'text/plain' }).end(table.body);
  }
}
