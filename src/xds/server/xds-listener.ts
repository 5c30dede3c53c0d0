import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { ConnectionInjector } from '@grpc/grpc-js';
import type { ClientCertificate } from './admission.ts';

/** What a server shows of itself. All are PEM. */
export interface ServingCertificate {
  /** With intermediates behind it, if there are any. */
  readonly certificate: string;
  readonly key: string;
  /** Whose certificates clients may show. Undefined: clients are not asked for one. */
  readonly clientAuthorities?: string | undefined;
}

/** Where the serving certificate comes from, and comes again before it ends. */
export interface CertificateSource {
  readonly current: ServingCertificate;
  /** Calls the listener for every later certificate. Returns how to stop. */
  follow(listener: (certificate: ServingCertificate) => void): () => void;
}

export interface XdsListenerOptions {
  /** Undefined: plain text. */
  readonly certificates: CertificateSource | undefined;
  /** How long a connection may go without its first stream, in milliseconds. */
  readonly unusedMs: number;
  /** So many connections without a stream; then the oldest of them gives way. */
  readonly maxUnused: number;
  /** Takes connections once their TLS is done. */
  readonly injector: Pick<ConnectionInjector, 'injectConnection'>;
  /** A connection came to nothing: its TLS failed, or its client left without opening a stream. */
  readonly onLost: (peer: string, reason: string) => void;
}

interface Connection {
  readonly socket: Socket;
  readonly sinceMs: number;
  certificate: ClientCertificate;
  /** Its TLS handshake is done. */
  secured: boolean;
  /** It has, or had, a stream. */
  used: boolean;
  /** What its handshake failed by, where the TLS library says so. */
  fault: string | undefined;
}

/** A client that has not finished its TLS handshake by then is dropped, in milliseconds. */
const handshakeMs = 20_000;

/**
 * Takes connections, in front of the gRPC library, and ends those that are of no use: that library would keep one that answers pings
 * for ever. Over TLS it is the server's end of that, too: the library offers neither the reason of a failed handshake nor the
 * certificate of a client that it does not trust, and a rejection has to name both.
 *
 * A client with a certificate that is not trusted gets a connection all the same, and a gRPC status that says why on its
 * stream; dropped during the handshake, it would only see a reset. A new certificate counts for connections from then on;
 * open ones keep theirs.
 */
export class XdsListener {
  readonly #options: XdsListenerOptions;
  readonly #server: Server;
  /** By `address:port` of the client, by which the gRPC library distinguishes streams too. */
  readonly #connections = new Map<string, Connection>();
  /** Those without a stream so far, the oldest first. */
  readonly #unused = new Set<Connection>();
  #setCertificate: (certificate: ServingCertificate) => void = () => {};
  #unfollow: (() => void) | undefined;

  constructor(options: XdsListenerOptions) {
    this.#options = options;
    const { certificates } = options;
    this.#server = certificates === undefined ? createServer() : this.#tlsServer(certificates.current);
    this.#server.on('connection', (socket: Socket) => this.#follow(socket));
    if (certificates === undefined) this.#server.on('connection', (socket: Socket) => this.#inject(socket));
  }

  #tlsServer(certificate: ServingCertificate): Server {
    const server = createTlsServer({
      ...contextOf(certificate),
      ALPNProtocols: ['h2'],
      minVersion: 'TLSv1.2',
      handshakeTimeout: handshakeMs,
      requestCert: certificate.clientAuthorities !== undefined,
      rejectUnauthorized: false,
    });
    this.#setCertificate = (next) => server.setSecureContext(contextOf(next));
    server.on('secureConnection', (socket) => this.#take(socket));
    server.on('tlsClientError', ({ code, message }: NodeJS.ErrnoException, socket) => {
      const connection = this.#connections.get(peerOf(socket));
      if (connection) connection.fault ??= `TLS handshake failed: ${code ?? message}`;
    });
    return server;
  }

  /** Listens; gives the port. Rejects when the address cannot be bound. */
  async listen(address: ListenOptions): Promise<number> {
    this.#server.listen(address);
    await once(this.#server, 'listening');
    const { certificates, onLost } = this.#options;
    // Such as when this process may open no further file: the others go on.
    this.#server.on('error', ({ message }) => onLost('unknown', `not accepted: ${message}`));
    // It may have changed meanwhile.
    if (certificates !== undefined) this.#setCertificate(certificates.current);
    this.#unfollow = certificates?.follow(this.#setCertificate);
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** What the client of a stream showed on its connection. */
  certificateOf(peer: string): ClientCertificate | undefined {
    return this.#connections.get(peer)?.certificate;
  }

  /** The connection has a stream. */
  markUsed(peer: string): void {
    const connection = this.#connections.get(peer);
    if (connection === undefined) return;
    connection.used = true;
    this.#unused.delete(connection);
  }

  /** Looks at the clock: ends connections that have gone without a stream for too long. */
  tick(nowMs: number): void {
    const { unusedMs } = this.#options;
    for (const connection of this.#unused) {
      if (nowMs - connection.sinceMs < unusedMs) return;
      this.#end(connection, `it opened no stream within ${unusedMs} ms`);
    }
  }

  #end(connection: Connection, fault: string): void {
    this.#unused.delete(connection);
    connection.fault ??= fault;
    connection.socket.destroy();
  }

  /** No connection is taken from now on. Those that are open are the gRPC library's to end. */
  close(): void {
    this.#unfollow?.();
    this.#server.close();
  }

  /** From the first byte on, for a client that gives up says nothing and is gone. */
  #follow(socket: Socket): void {
    const peer = peerOf(socket);
    const connection: Connection = {
      socket,
      sinceMs: performance.now(),
      certificate: { state: 'none' },
      secured: false,
      used: false,
      fault: undefined,
    };
    this.#connections.set(peer, connection);
    this.#unused.add(connection);
    const [oldest] = this.#unused;
    if (this.#unused.size > this.#options.maxUnused && oldest) this.#end(oldest, 'too many connections have no stream');
    socket.once('close', () => {
      this.#unused.delete(connection);
      if (this.#connections.get(peer) === connection) this.#connections.delete(peer);
      // Who sent nothing only looked whether the port is open.
      if (!connection.used && socket.bytesRead > 0) this.#lost(peer, connection);
    });
  }

  // A plain client that left says nothing of us.
  #lost(peer: string, connection: Connection): void {
    const isPlain = this.#options.certificates === undefined;
    if (!isPlain || connection.fault !== undefined) this.#options.onLost(peer, reasonOf(connection));
  }

  #take(socket: TLSSocket): void {
    const connection = this.#connections.get(peerOf(socket));
    if (connection) {
      connection.secured = true;
      connection.certificate = certificateOf(socket);
    }
    this.#inject(socket);
  }

  #inject(socket: Socket): void {
    // A reset of the connection is no fault of ours, and ends its streams by itself.
    socket.on('error', () => {});
    this.#options.injector.injectConnection(socket);
  }
}

function reasonOf({ secured, fault }: Connection): string {
  if (fault !== undefined) return fault;
  const when = secured ? 'without a stream' : 'during the TLS handshake';
  return `it left ${when}, as clients do that do not trust our certificate`;
}

const contextOf = ({ certificate, key, clientAuthorities }: ServingCertificate) => ({
  cert: certificate,
  key,
  ...(clientAuthorities !== undefined && { ca: clientAuthorities }),
});

const peerOf = ({ remoteAddress = 'unknown', remotePort }: Socket): string =>
  remotePort === undefined ? remoteAddress : `${remoteAddress}:${remotePort}`;

function certificateOf(socket: TLSSocket): ClientCertificate {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return { state: 'none' };
  const subject = certificate.subject?.replaceAll('\n', ', ') ?? '';
  if (!socket.authorized) return { state: 'rejected', subject, reason: String(socket.authorizationError) };
  return { state: 'verified', subject, subjectAltName: certificate.subjectAltName ?? '' };
}
