import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { Endings } from './endings.ts';
import { listening } from './listening.ts';

export interface HeldRequest {
  readonly end: () => void;
  /** The same object for all requests of one connection. */
  readonly connection: object;
}

export interface HoldingBackend {
  readonly port: number;
  /** All of its connections so far. */
  readonly connections: ReadonlySet<Socket>;
  /** Requests that have no answer yet. */
  readonly held: HeldRequest[];
}

/** A backend that answers `/` at once, and nothing else before the test does. */
export async function startHolding(t: Endings, version: 'HTTP/1.1' | 'HTTP/2' = 'HTTP/1.1'): Promise<HoldingBackend> {
  const connections = new Set<Socket>();
  const held: HeldRequest[] = [];
  const answer = (url: string | undefined, connection: object | null | undefined, end: () => unknown) => {
    if (url === '/') end();
    else held.push({ end, connection: connection ?? {} });
  };
  const server =
    version === 'HTTP/2'
      ? createHttp2Server(({ url, stream }, response) => answer(url, stream.session, () => response.end()))
      : createHttpServer(({ url, socket }, response) => answer(url, socket, () => response.end()));
  server.on('connection', (socket: Socket) => connections.add(socket));
  return { port: await listening(t, server as Server), connections, held };
}
