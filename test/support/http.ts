import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endings } from './endings.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpRequest {
  readonly host: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request to a port of 127.0.0.1, on a connection of its own. */
export function send(
  port: number,
  { host, path = '/', method = 'GET', headers = {}, body: sentBody }: HttpRequest,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers: { ...headers, host }, agent: false } as const;
    const sent = http.request(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.once('error', reject).end(sentBody);
  });
}

export interface CountingBackend {
  readonly port: number;
  /** Path and query of every request so far. */
  readonly requests: readonly string[];
  /** Headers of every request so far. */
  readonly seen: readonly http.IncomingHttpHeaders[];
}

/** A backend that keeps what it was asked; `answer` may answer by itself. Ends with `t`. */
export async function startBackend(
  t: Endings,
  answer: (request: http.IncomingMessage, response: http.ServerResponse) => void = (_, response) => response.end('ok'),
  address = '127.0.0.1',
  port = 0,
): Promise<CountingBackend> {
  const requests: string[] = [];
  const seen: http.IncomingHttpHeaders[] = [];
  const server = http.createServer((request, response) => {
    requests.push(request.url ?? '');
    seen.push(request.headers);
    answer(request, response);
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests, seen };
}

/** A Service whose port 80 leads to ports of 127.0.0.1. */
export const serviceObjects = (
  name: string,
  ports: readonly number[],
  port: Readonly<Record<string, unknown>> = {},
): object[] => [
  { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80, ...port }] } },
  ...ports.map((target, index) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-${index}`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ ...(typeof port.name === 'string' && { name: port.name }), port: target }],
    endpoints: [{ addresses: ['127.0.0.1'] }],
  })),
];
