import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Answer, lateError, type Outgoing, StaleConnectionError, tcpKeepAliveDelayMs } from './answer.ts';
import { limitConnecting } from './limit-connecting.ts';

/** Requests by HTTP/1.1, each on a connection that no other uses meanwhile. */
export class Http1 {
  readonly #agent: HttpAgent;

  constructor(isSecure: boolean) {
    // The same delay as in use: with another, each request would set the socket's options twice.
    const keep = { keepAlive: true, keepAliveMsecs: tcpKeepAliveDelayMs, maxFreeSockets: 16 };
    this.#agent = isSecure ? new HttpsAgent(keep) : new HttpAgent(keep);
  }

  /** `options`: of the connection. With an agent they have their own way to the server. */
  send({ url, method, headers, body, signal, timeoutMs }: Outgoing, options: RequestOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const outgoing = send(url, { agent: this.#agent, ...options, method, headers, ...(signal && { signal }) });
      const late = () => outgoing.destroy(lateError(method, url, timeoutMs));
      const timer = setTimeout(late, timeoutMs);
      outgoing.on('socket', (socket) => {
        socket.setKeepAlive(true, tcpKeepAliveDelayMs);
        if (socket.connecting) limitConnecting(socket, url);
      });
      outgoing.on('response', (response) => {
        clearTimeout(timer);
        const { statusCode = 0, headers: received } = response;
        resolve({ status: statusCode, headers: received, body: response, isWhole: () => true, isWatched: false });
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        const stale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale ? new StaleConnectionError(error.message, { cause: error }) : error);
      });
      outgoing.end(body);
    });
  }

  /** Closes idle connections. Requests under way go on. */
  close(): void {
    this.#agent.destroy();
  }
}
