import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { testCertificates } from '../../../support/certificates.ts';

const [{ certificate: cert, key }] = testCertificates;

/** A kubeconfig for a port of 127.0.0.1 that has the first of the test certificates. */
export function kubeConfigFor(port: number): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    {
      name: 'secure',
      server: `https://127.0.0.1:${port}`,
      caData: Buffer.from(cert).toString('base64'),
      skipTLSVerify: false,
      tlsServerName: 'a.example.com',
    },
    { name: 'user', token: 'secret-token' },
  );
  return config;
}

/** A server of HTTP/2 in the role of an API server. */
export class SecureApi implements AsyncDisposable {
  readonly sessions: ServerHttp2Session[] = [];
  readonly tokens: (string | undefined)[] = [];
  readonly #server: Http2SecureServer;
  #isClosing = false;
  /** How each request is answered, by its path and by the number of its session. */
  answer: (stream: ServerHttp2Stream, path: string, session: number) => void = (stream) => answer(stream, {});

  private constructor(server: Http2SecureServer) {
    this.#server = server;
    server.on('session', (session) => {
      const number = this.sessions.push(session);
      // A client may have begun it before, and left it.
      if (this.#isClosing) session.destroy();
      session.on('error', () => {});
      session.on('stream', (stream, headers) => {
        stream.on('error', () => {});
        this.tokens.push(headers.authorization);
        this.answer(stream, headers[':path'] ?? '', number);
      });
    });
  }

  static async start({ maxStreams = 250 } = {}): Promise<SecureApi> {
    const server = createSecureServer({ cert, key, settings: { maxConcurrentStreams: maxStreams } });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SecureApi(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get open(): number {
    return this.sessions.filter(({ destroyed }) => !destroyed).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    for (const session of this.sessions) session.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export function answer(stream: ServerHttp2Stream, body: object): void {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end(JSON.stringify(body));
}

/** A watch that stays open. */
export function open(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '1' } } })}\n`);
}

/** A server that speaks HTTP/1.1 alone. */
export async function startHttp1(): Promise<{
  readonly server: Server;
  readonly port: number;
  readonly handshakes: () => number;
}> {
  let handshakes = 0;
  const server = createServer({ cert, key }, (_, response) => response.end('{"gitVersion":"v1.0.0"}'));
  server.on('secureConnection', () => {
    handshakes += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, handshakes: () => handshakes };
}
