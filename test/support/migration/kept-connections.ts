import http from 'node:http';
import https from 'node:https';
import type { HttpAnswer, HttpRequest } from '../http.ts';

/** Connections of clients to both ports of a side at 127.0.0.1, kept between requests, one for each server name with TLS. */
export class KeptConnections {
  readonly #ports: { readonly http: number; readonly https: number };
  readonly #plain = new http.Agent({ keepAlive: true });
  readonly #secure = new https.Agent({ keepAlive: true });

  constructor(ports: { readonly http: number; readonly https: number }) {
    this.#ports = ports;
  }

  http(asked: HttpRequest): Promise<HttpAnswer> {
    return answerOf(http.request({ ...optionsOf(asked), port: this.#ports.http, agent: this.#plain }));
  }

  /** With the host as name of the server. Verifies no certificate. */
  https(asked: HttpRequest): Promise<HttpAnswer> {
    const tls = { agent: this.#secure, servername: asked.host, rejectUnauthorized: false };
    return answerOf(https.request({ ...optionsOf(asked), port: this.#ports.https, ...tls }));
  }

  close(): void {
    for (const agent of [this.#plain, this.#secure]) agent.destroy();
  }
}

const optionsOf = ({ host, path = '/', method = 'GET', headers = {} }: HttpRequest) => ({
  host: '127.0.0.1',
  path,
  method,
  headers: { ...headers, host },
});

function answerOf(sent: http.ClientRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    sent.once('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.once('error', reject).end();
  });
}
