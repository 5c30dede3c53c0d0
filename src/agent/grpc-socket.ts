import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { Server as NetServer } from 'node:net';
import { type sendUnaryData, status } from '@grpc/grpc-js';
import { type MessageReader, messageFrame, percentEncoded, readerOf } from './grpc-messages.ts';
import { ListeningSocket } from './listening-socket.ts';

/** Paused, it holds back what is yet to come. */
export type GrpcStream = Pick<ServerHttp2Stream, 'pause' | 'resume'>;

/** What Envoy may call, by path. */
export interface GrpcMethods {
  /** One message is answered by one. */
  readonly unary: Readonly<Record<string, (message: Buffer, done: sendUnaryData<Uint8Array>) => void>>;
  /** Gets each message of a stream that only Envoy writes to. */
  readonly streams: Readonly<Record<string, (stream: GrpcStream) => (message: Buffer) => void>>;
}

export interface GrpcSocketOptions {
  /** The unix socket to listen on; the folder around it keeps others out. */
  readonly socketPath: string;
  readonly methods: GrpcMethods;
}

/**
 * Clients that give up make Envoy give up its questions about them. nghttp2 takes that for an attack by Envoy, and ends the connection with all other
 * questions on it: after 1,000 of them by default.
 */
const resets = { streamResetBurst: 1_000_000, streamResetRate: 1_000_000 };

const head = { ':status': 200, 'content-type': 'application/grpc' };
const trailers = { 'grpc-status': '0' };

/**
 * Answers short calls of gRPC that Envoy makes over a unix socket. There is one for each request to the gateway, and grpc-js's server takes about 1.6
 * times as much CPU for it as Node's HTTP/2 alone.
 */
export class GrpcSocket {
  readonly #methods: GrpcMethods;
  readonly #socket: ListeningSocket<Http2Server>;
  readonly #connections = new Set<{ destroy(): void }>();

  constructor({ socketPath, methods }: GrpcSocketOptions) {
    this.#methods = methods;
    this.#socket = new ListeningSocket({
      socketPath,
      make: () => this.#make(),
      // An Http2Server's own ends its connections.
      stopListening: (server) => server.listening && NetServer.prototype.close.call(server),
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

  #make(): Http2Server {
    const server = createServer(resets);
    server.on('session', (session) => {
      this.#connections.add(session);
      session.once('close', () => this.#connections.delete(session));
    });
    // A connection that breaks is Envoy's to make again.
    server.on('sessionError', () => undefined);
    server.on('stream', (stream, headers) => this.#take(stream, headers));
    return server;
  }

  #take(stream: ServerHttp2Stream, { ':path': path = '' }: IncomingHttpHeaders): void {
    const { unary, streams } = this.#methods;
    const [answer, open] = [unary[path], streams[path]];
    if (answer) takeOne(stream, answer);
    else if (open) takeAll(stream, open(stream));
    else fail(stream, status.UNIMPLEMENTED, 'no such method');
  }
}

function takeOne(stream: ServerHttp2Stream, answer: GrpcMethods['unary'][string]): void {
  const messages: Buffer[] = [];
  read(stream, (message) => messages.push(message));
  stream.on('end', () => {
    const [message, another] = messages;
    if (!message || another) return fail(stream, status.INTERNAL, 'one message was expected');
    answer(message, (error, value) => {
      if (error) fail(stream, error.code ?? status.UNKNOWN, error.details ?? '');
      else if (value) say(stream, value);
    });
  });
}

function takeAll(stream: ServerHttp2Stream, take: (message: Buffer) => void): void {
  read(stream, take);
  stream.on('end', () => say(stream, Buffer.alloc(0)));
}

function read(stream: ServerHttp2Stream, take: (message: Buffer) => void): void {
  const reader: MessageReader = readerOf(take);
  stream.on('data', (bytes: Buffer) => {
    try {
      reader(bytes);
    } catch (error) {
      stream.removeAllListeners('data').removeAllListeners('end').resume();
      fail(stream, status.INTERNAL, (error as Error).message);
    }
  });
  // Envoy waits no longer, or is gone.
  stream.on('error', () => undefined);
}

const isOver = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed || stream.headersSent;

function say(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (isOver(stream)) return;
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  stream.respond(head, { waitForTrailers: true });
  stream.end(messageFrame(message));
}

function fail(stream: ServerHttp2Stream, code: status, details: string): void {
  if (isOver(stream)) return;
  stream.respond(
    { ...head, 'grpc-status': String(code), 'grpc-message': percentEncoded(details) },
    { endStream: true },
  );
}
