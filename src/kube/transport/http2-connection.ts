import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { KubeError } from '../kube-error.ts';
import { type Answer, lateError, type Outgoing, StaleConnectionError } from './answer.ts';
import { bodyOf } from './http2-body.ts';

/** More than all kinds need at once, and less than API servers take of one client. */
const mostStreams = 90;
/** A list of thousands of objects comes in one answer, and watches are read beside it. */
const streamWindowBytes = 1 << 20;
const connectionWindowBytes = 1 << 24;
/** As in client-go: a connection on which nothing came for so long is asked whether it lives, and has so long to answer. */
const restMs = 30_000;
const pingMs = 15_000;

/** Node's word for a request on a connection that has ended since it was chosen. */
const ended = 'ERR_HTTP2_GOAWAY_SESSION';

/** How long a connection may rest, and how long it has to answer a ping. Tests shorten them. */
export interface Http2Timing {
  readonly restMs: number;
  readonly pingMs: number;
}

/** One connection by HTTP/2, which many requests share. */
export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #socket: TLSSocket;
  readonly #host: string;
  readonly #pingMs: number;
  #streams = 0;
  #wasUsed = false;
  #bytesRead = 0;
  #silentLooks = 0;
  #isSuspect = false;

  constructor(socket: TLSSocket, { origin, host }: URL, timing: Partial<Http2Timing> = {}) {
    this.#socket = socket;
    this.#host = host;
    this.#pingMs = timing.pingMs ?? pingMs;
    this.#session = connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
    });
    this.#session.once('connect', () => this.#session.setLocalWindowSize(connectionWindowBytes));
    // Each request on it has the error, too.
    this.#session.on('error', () => {});
    const looks = setInterval(() => this.#look(), timing.restMs ?? restMs).unref();
    this.#session.once('close', () => clearInterval(looks));
    this.#session.unref();
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  get mayTakeMore(): boolean {
    const most = Math.min(mostStreams, this.#session.remoteSettings?.maxConcurrentStreams ?? mostStreams);
    return this.isOpen && !this.#isSuspect && this.#streams < most;
  }

  /** The answer, once its headers are in. */
  request({ url, method, headers, body, signal }: Outgoing, timeoutMs: number): Promise<Answer> {
    const wasUsed = this.#wasUsed;
    this.#wasUsed = true;
    const head: OutgoingHttpHeaders = { ':method': method, ':path': `${url.pathname}${url.search}` };
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) head[name.toLowerCase()] = value;
    return new Promise((resolve, reject) => {
      const stream = this.#open(head, { endStream: body === undefined, ...(signal && { signal }) });
      const timer = setTimeout(() => {
        stream.destroy(lateError(method, url, timeoutMs));
        this.#suspect();
      }, timeoutMs);
      const fail = (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        const isUnseen = error.code === ended || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
        const isOwn = error instanceof KubeError || error.name === 'AbortError';
        const isStale = !isOwn && (isUnseen || (wasUsed && !this.isOpen));
        reject(isStale ? new StaleConnectionError(error.message, { cause: error }) : error);
      };
      stream.on('error', fail);
      stream.once('close', () => fail(new Error('the connection was closed without an answer')));
      stream.once('response', (received) => {
        clearTimeout(timer);
        resolve({
          status: Number(received[':status']),
          headers: received,
          body: bodyOf(stream),
          isWhole: () => stream.rstCode === constants.NGHTTP2_NO_ERROR && !stream.aborted,
          isWatched: true,
        });
      });
      if (body !== undefined) stream.end(body);
    });
  }

  #open(
    head: OutgoingHttpHeaders,
    options: { readonly endStream: boolean; readonly signal?: AbortSignal },
  ): ClientHttp2Stream {
    const stream = this.#begin(head, options);
    this.#streams += 1;
    if (this.#streams === 1) this.#session.ref();
    stream.once('close', () => {
      this.#streams -= 1;
      if (this.#streams === 0) this.#session.unref();
    });
    return stream;
  }

  /** Throws where the connection was lost since it was chosen. */
  #begin(head: OutgoingHttpHeaders, options: Parameters<ClientHttp2Session['request']>[1]): ClientHttp2Stream {
    try {
      return this.#session.request(head, options);
    } catch (cause) {
      throw new StaleConnectionError((cause as Error).message, { cause });
    }
  }

  /** Requests under way go on. */
  close(): void {
    this.#session.close();
  }

  /** A request had no answer in time: no other begins on this connection before it answers a ping. */
  #suspect(): void {
    if (this.#isSuspect || !this.isOpen) return;
    this.#isSuspect = true;
    this.#ping();
  }

  #look(): void {
    const { bytesRead } = this.#socket;
    this.#silentLooks = bytesRead === this.#bytesRead ? this.#silentLooks + 1 : 0;
    this.#bytesRead = bytesRead;
    // Node sends no ping where no new request may begin; watches are made again elsewhere.
    if (this.#session.closed && this.#silentLooks > 1)
      this.#abandon(`${this.#host}: nothing came on a connection that was to end`);
    else if (this.#silentLooks > 0) this.#ping();
  }

  #ping(): void {
    if (!this.isOpen) return;
    const timer = setTimeout(
      () => this.#abandon(`${this.#host}: no answer to a ping in ${this.#pingMs} ms`),
      this.#pingMs,
    ).unref();
    this.#session.ping((error) => {
      clearTimeout(timer);
      if (!error) this.#isSuspect = false;
    });
  }

  #abandon(message: string): void {
    this.#session.destroy(new KubeError({ code: 'timeout', message }));
  }
}
