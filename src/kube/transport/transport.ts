import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { KubeError } from '../kube-error.ts';
import { type Answer, type Outgoing, StaleConnectionError } from './answer.ts';
import { Http1 } from './http1.ts';
import { type Credentials, Http2 } from './http2.ts';
import type { Http2Timing } from './http2-connection.ts';
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

/**
 * HTTP to one API server with a kubeconfig's certificates and credentials, over connections that are kept. It does not use the client library's
 * own calls, which hide three things: when a connection is silent, when it is reused, and the raw stream.
 */
export class Transport {
  /** URL of the API server. */
  readonly server: string;
  readonly #kubeConfig: KubeConfig;
  readonly #userAgent: string;
  readonly #isProxied: boolean;
  readonly #secure = new SharedSecureContext();
  readonly #http1: Http1;
  /** Undefined: the server does not speak it, as far as we know. */
  #http2: Http2 | undefined;

  constructor(kubeConfig: KubeConfig, userAgent: string, timing: Partial<Http2Timing> = {}) {
    const cluster = kubeConfig.getCurrentCluster();
    if (cluster === null) throw new KubeError({ code: 'rejected', message: 'the kubeconfig names no cluster' });
    this.server = cluster.server.replace(/\/+$/, '');
    this.#kubeConfig = kubeConfig;
    this.#userAgent = userAgent;
    this.#isProxied = cluster.proxyUrl !== undefined;
    const isSecure = this.server.startsWith('https:');
    this.#http1 = new Http1(isSecure);
    // Only the library's own agent knows how to go through a proxy.
    if (isSecure && !this.#isProxied) this.#http2 = new Http2(timing);
  }

  /** Resolves with the answer as soon as its headers are in, whatever its status. Rejects with KubeError. */
  async send(request: TransportRequest): Promise<Answer> {
    const what = `${request.method} ${this.server}${request.path}`;
    const options = await this.#options().catch((cause: unknown) => {
      throw new KubeError({
        code: 'unauthorized',
        message: `${what}: no credentials: ${(cause as Error).message}`,
        cause,
      });
    });
    const outgoing = this.#outgoing(request, options);
    try {
      return await this.#once(outgoing, options).catch((caught: unknown) => {
        // At worst the server did what it was asked and could not say so, which is no different from any other lost answer.
        if (caught instanceof StaleConnectionError) return this.#once(outgoing, options);
        throw caught;
      });
    } catch (caught) {
      throw KubeError.from(what, caught);
    }
  }

  /** Closes idle connections. Requests under way go on. */
  close(): void {
    this.#http1.close();
    this.#http2?.close();
  }

  /** Of a connection, with the credentials' own headers. */
  async #options(): Promise<Options> {
    const options: Options = { headers: {} };
    await this.#kubeConfig.applyToHTTPSOptions(options);
    if (this.#isProxied) return options;
    // The library's agent closes each connection after one request.
    const { agent: _, ...others } = options;
    return this.server.startsWith('https:') ? { ...others, secureContext: this.#secure.of(options) } : others;
  }

  #outgoing(
    { method, path, query, body, contentType, signal, timeoutMs }: TransportRequest,
    options: Options,
  ): Outgoing {
    const url = new URL(this.server + path);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string | number | string[] | undefined> = {
      ...(options.headers as Record<string, string>),
      ...(options.auth && { authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` }),
      accept: 'application/json',
      'user-agent': this.#userAgent,
    };
    if (body !== undefined) {
      headers['content-type'] = contentType ?? 'application/json';
      headers['content-length'] = Buffer.byteLength(body);
    }
    return { url, method, headers, body, signal, timeoutMs };
  }

  async #once(outgoing: Outgoing, { headers: _, ...connection }: Options): Promise<Answer> {
    const { secureContext } = connection;
    if (this.#http2 && secureContext) {
      const answer = await this.#http2.send(outgoing, { ...connection, secureContext });
      if (answer) return answer;
      this.#http2 = undefined;
    }
    return await this.#http1.send(outgoing, connection);
  }
}

type Options = RequestOptions & { secureContext?: Credentials['secureContext'] };
