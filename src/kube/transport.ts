import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions as HttpsOptions, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { KubeConfig } from '@kubernetes/client-node';
import { KubeError } from './kube-error.ts';
import { SharedSecureContext } from './secure-context.ts';

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's URL, such as `/api/v1/services`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  /** How long the answer's headers may take. */
  readonly timeoutMs: number;
}

// Dead peers are found by the kernel after about 15 s + 10 probes of 1 s.
const tcpKeepAliveDelayMs = 15_000;
// Without TLS, which an API server under load takes its time for.
const connectMs = 5_000;

/**
 * HTTP to one API server with a kubeconfig's certificates and credentials, over connections that are kept. It uses `node:https` rather
 * than the client library's own calls for three things those hide: when a socket is silent, when it is reused, and the raw stream.
 */
export class Transport {
  /** URL of the API server. */
  readonly server: string;
  readonly #kubeConfig: KubeConfig;
  readonly #agent: HttpAgent;
  readonly #userAgent: string;
  readonly #proxied: boolean;
  readonly #secure = new SharedSecureContext();

  constructor(kubeConfig: KubeConfig, userAgent: string) {
    const cluster = kubeConfig.getCurrentCluster();
    if (cluster === null) throw new KubeError({ code: 'rejected', message: 'the kubeconfig names no cluster' });
    this.server = cluster.server.replace(/\/+$/, '');
    this.#kubeConfig = kubeConfig;
    this.#userAgent = userAgent;
    this.#proxied = cluster.proxyUrl !== undefined;
    // The same delay as in use: with another, each request would set the socket's options twice.
    const keep = { keepAlive: true, keepAliveMsecs: tcpKeepAliveDelayMs, maxFreeSockets: 16 };
    this.#agent = this.server.startsWith('https:') ? new HttpsAgent(keep) : new HttpAgent(keep);
  }

  /** Resolves with the answer as soon as its headers are in, whatever its status. Rejects with KubeError. */
  async send(request: TransportRequest): Promise<IncomingMessage> {
    const what = `${request.method} ${this.server}${request.path}`;
    const options = await this.#options(request).catch((cause: unknown) => {
      throw new KubeError({
        code: 'unauthorized',
        message: `${what}: no credentials: ${(cause as Error).message}`,
        cause,
      });
    });
    try {
      return await this.#once(request, options).catch((caught: unknown) => {
        // At worst the server did what it was asked and could not say so, which is no different from any other lost answer.
        if (caught instanceof StaleSocketError) return this.#once(request, options);
        throw caught;
      });
    } catch (caught) {
      throw KubeError.from(what, caught);
    }
  }

  /** Closes idle connections. Requests under way go on. */
  close(): void {
    this.#agent.destroy();
  }

  async #options(request: TransportRequest): Promise<RequestOptions> {
    const options: HttpsOptions & Pick<ConnectionOptions, 'secureContext'> & { agent?: unknown } = { headers: {} };
    await this.#kubeConfig.applyToHTTPSOptions(options);
    // The library's agent closes each connection after one request, but knows how to go through a proxy.
    if (!this.#proxied) {
      options.agent = this.#agent;
      if (this.#agent instanceof HttpsAgent) options.secureContext = this.#secure.of(options);
    }
    const headers: Record<string, string | number | string[] | undefined> = {
      ...(options.headers as Record<string, string>),
      accept: 'application/json',
      'user-agent': this.#userAgent,
    };
    if (request.body !== undefined) {
      headers['content-type'] = request.contentType ?? 'application/json';
      headers['content-length'] = Buffer.byteLength(request.body);
    }
    return { ...options, method: request.method, headers, ...(request.signal ? { signal: request.signal } : {}) };
  }

  #once(request: TransportRequest, options: RequestOptions): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const url = new URL(this.server + request.path);
      for (const [name, value] of Object.entries(request.query ?? {})) {
        if (value !== undefined) url.searchParams.set(name, String(value));
      }
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const outgoing = send(url, options);
      const timer = setTimeout(() => {
        outgoing.destroy(
          new KubeError({
            code: 'timeout',
            message: `${request.method} ${url.href}: no answer in ${request.timeoutMs} ms`,
          }),
        );
      }, request.timeoutMs);
      outgoing.on('socket', (socket) => {
        socket.setKeepAlive(true, tcpKeepAliveDelayMs);
        if (socket.connecting) limitConnecting(socket, url);
      });
      outgoing.on('response', (response) => {
        clearTimeout(timer);
        resolve(response);
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        const stale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new StaleSocketError(error.message, { cause: error }) : error);
      });
      outgoing.end(request.body);
    });
  }
}

/** A kernel answers at once; the next try goes through at once after an outage, where a pending one would wait for its next packet. */
function limitConnecting(socket: Socket, { host }: URL): void {
  const late = () =>
    socket.destroy(new KubeError({ code: 'unreachable', message: `${host}: no connection in ${connectMs} ms` }));
  const timer = setTimeout(late, connectMs);
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
}

/** The server closed a kept connection just when it was used again; nothing was wrong with the request. */
class StaleSocketError extends Error {
  override readonly name = 'StaleSocketError';
}
