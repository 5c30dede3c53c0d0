import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import type { ClientCertificate } from '../client-certificates.ts';

/** One message without a field, with its length before it. */
export const emptyMessage = Buffer.alloc(5);

export const callType = 'application/grpc';

/** A way to the gateway: one port, and one handshake. */
export interface Way {
  readonly port: number;
  /** The name in the handshake, and what the client shows in it. Undefined: no TLS. */
  readonly tls?: { readonly servername: string; readonly shown: ClientCertificate | undefined };
}

export interface Call {
  readonly authority: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends gRPC calls by HTTP/2, over connections that are kept. */
export class Calls {
  readonly #sessions = new Map<string, ClientHttp2Session>();
  readonly #connectionsEach: number;
  #count = 0;
  #opened = 0;

  /** @param connectionsEach how many it keeps of each way: one connection is one worker's of the proxy */
  constructor(connectionsEach: number) {
    this.#connectionsEach = connectionsEach;
  }

  /** Connections so far. */
  get opened(): number {
    return this.#opened;
  }

  /** The status of HTTP where it is not 200 or there is none of gRPC; that of gRPC where it is not OK: `grpc 16`; else 200 and what the backend saw. */
  call(way: Way, { authority, path, headers }: Call): Promise<string> {
    const stream = this.#sessionOf(way).request({
      ':method': 'POST',
      ':authority': authority,
      ':path': path,
      'content-type': callType,
      te: 'trailers',
      ...headers,
    });
    return new Promise((resolve, reject) => {
      let answered: IncomingHttpHeaders = {};
      let trailers: IncomingHttpHeaders = {};
      stream
        .once('response', (got) => {
          answered = got;
        })
        .once('trailers', (got) => {
          trailers = got;
        })
        .once('error', reject)
        .once('close', () =>
          answered[':status'] === undefined
            ? reject(new Error('the call ended without an answer'))
            : resolve(statusOf(answered, trailers)),
        )
        .resume()
        .end(emptyMessage);
    });
  }

  stop(): void {
    for (const session of this.#sessions.values()) session.destroy();
  }

  #sessionOf({ port, tls }: Way): ClientHttp2Session {
    this.#count += 1;
    const name = JSON.stringify([
      port,
      tls?.servername,
      tls?.shown?.certificatePem,
      this.#count % this.#connectionsEach,
    ]);
    const known = this.#sessions.get(name);
    if (known && !known.closed && !known.destroyed) return known;
    const made = tls
      ? connect(`https://127.0.0.1:${port}`, {
          servername: tls.servername,
          rejectUnauthorized: false,
          ...(tls.shown && { cert: tls.shown.certificatePem, key: tls.shown.keyPem }),
        })
      : connect(`http://127.0.0.1:${port}`);
    this.#opened += 1;
    // Its calls fail, too.
    made.on('error', () => {});
    this.#sessions.set(name, made);
    return made;
  }
}

function statusOf(answered: IncomingHttpHeaders, trailers: IncomingHttpHeaders): string {
  const { ':status': status, 'x-saw': saw = '', 'grpc-status': code = trailers['grpc-status'] ?? '0' } = answered;
  if (Number(status) === 200 && code !== '0') return `grpc ${code}`;
  return `${status} ${saw}`.trim();
}
