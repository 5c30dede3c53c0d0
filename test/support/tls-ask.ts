import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { HttpAnswer, HttpRequest } from './http.ts';

export interface TlsRequest extends HttpRequest {
  readonly certificate?: { readonly certificatePem: string; readonly keyPem: string } | undefined;
  /** Default: the host without its port. */
  readonly sni?: string;
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** One of an earlier connection. */
  readonly session?: Buffer | undefined;
}

export interface TlsAnswer extends HttpAnswer {
  /** The session was resumed. */
  readonly resumed: boolean;
}

/** One request by HTTPS to a port of 127.0.0.1, on a connection of its own. Rejects where the handshake fails. */
export function askTls(port: number, asked: TlsRequest): Promise<TlsAnswer> {
  const { host, path = '/', method = 'GET', headers = {}, body: sentBody, certificate, maxVersion, session } = asked;
  const options: https.RequestOptions = {
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: { ...headers, host },
    agent: false,
    servername: asked.sni ?? host.replace(/:\d+$/, ''),
    rejectUnauthorized: false,
    ...(certificate && { cert: certificate.certificatePem, key: certificate.keyPem }),
    ...(maxVersion && { maxVersion }),
    ...(session && { session }),
  };
  return new Promise((resolve, reject) => {
    const sent = https.request(options, (response) => {
      const resumed = (response.socket as TLSSocket).isSessionReused();
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, resumed }),
      );
    });
    sent.once('error', reject).end(sentBody);
  });
}
