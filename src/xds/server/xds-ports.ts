import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { limits } from '../limits.ts';
import type { ClientCertificate } from './admission.ts';
import { hostAndPort, listenAddresses } from './listen-addresses.ts';
import { type CertificateSource, XdsListener } from './xds-listener.ts';

interface XdsPortsOptions {
  readonly server: Server;
  /** How long a connection may be open without a stream. */
  readonly unusedMs: number;
  /** A connection ended that never became a stream. */
  readonly onLost: (peer: string, reason: string) => void;
}

/** Where the xDS server listens, and what is known of its connections. */
export class XdsPorts {
  readonly #options: XdsPortsOptions;
  readonly #listeners: XdsListener[] = [];

  constructor(options: XdsPortsOptions) {
    this.#options = options;
  }

  /** See XdsServer.listen. */
  async listen(address: string, certificates: CertificateSource | undefined): Promise<number> {
    let failure: unknown;
    for (const candidate of listenAddresses(address)) {
      try {
        if (!candidate.startsWith('unix:')) return await this.#listenOn(candidate, certificates);
        await this.#bind(candidate);
        return 0;
      } catch (error) {
        failure = error;
      }
    }
    throw new Error(`cannot listen for xDS on ${address}`, { cause: failure });
  }

  /** Takes no more connections. */
  close(): void {
    for (const listener of this.#listeners) listener.close();
  }

  tick(nowMs: number): void {
    for (const listener of this.#listeners) listener.tick(nowMs);
  }

  /** What the client of a connection showed when it connected. */
  certificateOf(peer: string): ClientCertificate {
    for (const listener of this.#listeners) {
      const certificate = listener.certificateOf(peer);
      if (certificate !== undefined) return certificate;
    }
    return { state: 'none' };
  }

  /** The connection has a stream, or had a call. */
  markUsed(peer: string): void {
    for (const listener of this.#listeners) listener.markUsed(peer);
  }

  /** Connections are taken, and their TLS is ended, here; the gRPC library is handed what is inside. */
  async #listenOn(address: string, certificates: CertificateSource | undefined): Promise<number> {
    const { server, unusedMs, onLost } = this.#options;
    const listener = new XdsListener({
      certificates,
      injector: server.createConnectionInjector(ServerCredentials.createInsecure()),
      unusedMs,
      maxUnused: limits.unusedConnections,
      onLost,
    });
    const port = await listener.listen(hostAndPort(address));
    this.#listeners.push(listener);
    return port;
  }

  #bind(address: string): Promise<number> {
    const credentials = ServerCredentials.createInsecure();
    return new Promise((resolve, reject) => {
      this.#options.server.bindAsync(address, credentials, (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  }
}
