import http from 'node:http';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Echo } from './echo-server.ts';
import type { ExampleRequest } from './example.ts';

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly echo?: Echo;
  readonly grpcStatus?: number;
  /** Common name of the served certificate. */
  readonly certificate?: string;
}

/** Sends one request to the port of the gateway on this machine. */
export function send(request: ExampleRequest, port: number): Promise<Answer> {
  const { scheme = 'http', host, path, method = 'GET', headers, bodyBytes = 0, body, sni = host } = request;
  const options = {
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: { ...headers, host: `${host}:${port}` },
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const sent =
      scheme === 'https'
        ? https.request({ ...options, servername: sni, rejectUnauthorized: false })
        : http.request(options);
    sent.once('error', reject);
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      const certificate =
        scheme === 'https' ? (response.socket as TLSSocket).getPeerCertificate().subject?.CN : undefined;
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const { statusCode: status = 0, headers: seen } = response;
        resolve({
          status,
          headers: seen,
          echo: echoOf(Buffer.concat(chunks).toString()),
          certificate: String(certificate),
        });
      });
    });
    sent.end(body ?? 'x'.repeat(bodyBytes));
  });
}

export function echoOf(body: string): Echo | undefined {
  try {
    return JSON.parse(body) as Echo;
  } catch {
    return undefined;
  }
}
