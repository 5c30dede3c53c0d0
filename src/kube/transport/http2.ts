import { isIP } from 'node:net';
import { type ConnectionOptions, connect, type SecureContext, type TLSSocket } from 'node:tls';
import { KubeError } from '../kube-error.ts';
import { type Answer, lateError, type Outgoing, tcpKeepAliveDelayMs } from './answer.ts';
import { Http2Connection, type Http2Timing } from './http2-connection.ts';
import { limitConnecting } from './limit-connecting.ts';

/** How a server is known, and we to it. */
export type Credentials = Pick<ConnectionOptions, 'servername' | 'rejectUnauthorized'> & {
  readonly secureContext: SecureContext;
};

/** A handshake that takes longer is given up, though a request may have ended before. */
const handshakeMs = 30_000;

/**
 * Requests by HTTP/2, all of them over one connection while that has room. Else watches of all kinds take forty connections, whose handshakes take
 * a millisecond each, at both ends, whenever they begin again.
 */
export class Http2 {
  readonly #timing: Partial<Http2Timing>;
  #connections: readonly Http2Connection[] = [];
  /** What the connections were made with: certificates and keys rotate. */
  #credentials: Credentials | undefined;
  #connecting: Promise<Http2Connection | undefined> | undefined;

  constructor(timing: Partial<Http2Timing> = {}) {
    this.#timing = timing;
  }

  /** Undefined: the server does not speak HTTP/2. */
  async send(outgoing: Outgoing, credentials: Credentials): Promise<Answer | undefined> {
    const { method, url, signal, timeoutMs } = outgoing;
    const began = performance.now();
    const late = () => {
      // The next request begins another one.
      this.#connecting = undefined;
      return lateError(method, url, timeoutMs);
    };
    const connection = await within(this.#connection(url, credentials), { signal, timeoutMs, late });
    return await connection?.request(outgoing, Math.max(1, timeoutMs - (performance.now() - began)));
  }

  /** Requests under way go on. */
  close(): void {
    for (const connection of this.#connections) connection.close();
    this.#connections = [];
    this.#connecting = undefined;
  }

  async #connection(url: URL, credentials: Credentials): Promise<Http2Connection | undefined> {
    if (!this.#credentials || !areLike(this.#credentials, credentials)) {
      this.close();
      this.#credentials = credentials;
    }
    const known = this.#connections.find(({ mayTakeMore }) => mayTakeMore);
    if (known) return known;
    this.#connecting ??= this.#connect(url, credentials);
    const connecting = this.#connecting;
    try {
      const made = await connecting;
      // More may have waited for it than it can take.
      return !made || made.mayTakeMore ? made : await this.#connection(url, credentials);
    } finally {
      if (this.#connecting === connecting) this.#connecting = undefined;
    }
  }

  async #connect(url: URL, credentials: Credentials): Promise<Http2Connection | undefined> {
    const socket = await handshake(url, credentials);
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      return undefined;
    }
    const connection = new Http2Connection(socket, url, this.#timing);
    const isCurrent = this.#credentials && areLike(this.#credentials, credentials);
    if (isCurrent) this.#connections = [...this.#connections.filter(({ isOpen }) => isOpen), connection];
    return connection;
  }
}

const areLike = (one: Credentials, other: Credentials): boolean =>
  one.secureContext === other.secureContext &&
  one.servername === other.servername &&
  one.rejectUnauthorized === other.rejectUnauthorized;

function handshake(url: URL, credentials: Credentials): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(url.port || 443),
      ALPNProtocols: ['h2', 'http/1.1'],
      ...credentials,
      servername: credentials.servername ?? (isIP(host) ? '' : host),
    });
    const message = `${url.host}: no TLS handshake in ${handshakeMs} ms`;
    const timer = setTimeout(() => socket.destroy(new KubeError({ code: 'unreachable', message })), handshakeMs);
    limitConnecting(socket, url);
    socket.setKeepAlive(true, tcpKeepAliveDelayMs).setNoDelay(true);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the connection was closed before TLS was set up'));
    });
  });
}

/** The outcome of `work`, which goes on for others, or the error of the signal or of a time that is over. */
function within<T>(
  work: Promise<T>,
  {
    signal,
    timeoutMs,
    late,
  }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number; readonly late: () => Error },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => fail(new DOMException('The request was aborted', 'AbortError'));
    const timer = setTimeout(() => fail(late()), timeoutMs);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: unknown) => {
      end();
      reject(error);
    };
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    work.then((value) => {
      end();
      resolve(value);
    }, fail);
  });
}
