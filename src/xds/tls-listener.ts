import { once } from 'node:events';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
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

/** Where the serving certificate comes from, and comes anew before it ends. */
export interface CertificateSource {
  readonly current: ServingCertificate;
  /** Calls the listener for every later certificate. Returns how to stop. */
  follow(listener: (certificate: ServingCertificate) => void): () => void;
}

export interface TlsListenerOptions {
  readonly certificates: CertificateSource;
  /** Takes connections once their TLS is done. */
  readonly injector: Pick<ConnectionInjector, 'injectConnection'>;
  /** A connection came to nothing: its TLS failed, or its client left without opening a stream. */
  readonly onLost: (peer: string, reason: string) => void;
}

interface Connection {
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
 * The server's end of TLS, in front of the gRPC library: that offers neither the reason of a failed handshake nor the
 * certificate of a client that it does not trust, and a refusal has to name both.
 *
 * A client with a certificate that is not trusted gets a connection all the same, and a gRPC status that says why on its
 * stream; dropped during the handshake, it would only see a reset. A new certificate counts for connections from then on;
 * open ones keep theirs.
 */
export class TlsListener {
  readonly #options: TlsListenerOptions;
  readonly #server: Server;
  /** By `address:port` of the client, as the gRPC library tells streams apart too. */
  readonly #connections = new Map<string, Connection>();
  #unfollow: (() => void) | undefined;

  constructor(options: TlsListenerOptions) {
    this.#options = options;
    const { certificates } = options;
    const asksClients = certificates.current.clientAuthorities !== undefined;
    this.#server = createServer({
      ...contextOf(certificates.current),
      ALPNProtocols: ['h2'],
      minVersion: 'TLSv1.2',
      handshakeTimeout: handshakeMs,
      requestCert: asksClients,
      rejectUnauthorized: false,
    });
    this.#server.on('connection', (socket) => this.#follow(socket));
    this.#server.on('secureConnection', (socket) => this.#take(socket));
    this.#server.on('tlsClientError', ({ code, message }: NodeJS.ErrnoException, socket) => {
      const connection = this.#connections.get(peerOf(socket));
      if (connection) connection.fault = code ?? message;
    });
  }

  /** Listens; gives the port. Rejects when the address cannot be bound. */
  async listen(address: ListenOptions): Promise<number> {
    this.#server.listen(address);
    await once(this.#server, 'listening');
    const { certificates, onLost } = this.#options;
    // Such as when this process may open no further file: the others go on.
    this.#server.on('error', ({ message }) => onLost('unknown', `not accepted: ${message}`));
    // It may have changed meanwhile.
    this.#server.setSecureContext(contextOf(certificates.current));
    this.#unfollow = certificates.follow((next) => this.#server.setSecureContext(contextOf(next)));
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** What the client of a stream showed on its connection. */
  certificateOf(peer: string): ClientCertificate {
    return this.#connections.get(peer)?.certificate ?? { state: 'none' };
  }

  /** The connection has a stream. */
  markUsed(peer: string): void {
    const connection = this.#connections.get(peer);
    if (connection) connection.used = true;
  }

  /** No connection is taken from now on. Those that are open are the gRPC library's to end. */
  close(): void {
    this.#unfollow?.();
    this.#server.close();
  }

  /** From the first byte on, for a client that gives up says nothing and is gone. */
  #follow(socket: Socket): void {
    const peer = peerOf(socket);
    const connection: Connection = { certificate: { state: 'none' }, secured: false, used: false, fault: undefined };
    this.#connections.set(peer, connection);
    socket.once('close', () => {
      if (this.#connections.get(peer) === connection) this.#connections.delete(peer);
      // Who sent nothing only looked whether the port is open.
      if (!connection.used && socket.bytesRead > 0) this.#options.onLost(peer, reasonOf(connection));
    });
  }

  #take(socket: TLSSocket): void {
    const connection = this.#connections.get(peerOf(socket));
    if (connection) {
      connection.secured = true;
      connection.certificate = certificateOf(socket);
    }
    // A reset of the connection is no fault of ours, and ends its streams by itself.
    socket.on('error', () => {});
    this.#options.injector.injectConnection(socket);
  }
}

function reasonOf({ secured, fault }: Connection): string {
  if (fault !== undefined) return `TLS handshake failed: ${fault}`;
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
  if (!socket.authorized) return { state: 'refused', subject, reason: String(socket.authorizationError) };
  return { state: 'verified', subject, subjectAltName: certificate.subjectAltName ?? '' };
}
