import { createServer, type RequestListener, type Server } from 'node:http';
import type { Http2Server } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IssuedCertificate } from './certificate.ts';

/** What an echo server says of a request, as JSON. */
export interface Echo {
  readonly backend: string;
  /** Which endpoint of the backend it is. */
  readonly port?: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * A backend that answers every request with what it saw, and who it is. The query can ask for trouble: `delay` is the
 * time to the answer in milliseconds, `status` that of the answer, and with `fail` only the first so many requests of the
 * same path and query get it. `location` and `cookie` are headers of the answer.
 */
export async function startEchoServer(
  backend: string,
  address: string,
  port: number,
  tls?: IssuedCertificate,
): Promise<Server> {
  const seen = new Map<string, number>();
  const echo: RequestListener = (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const said: Echo = { backend, port: request.socket.localPort, method, path, headers };
    const asked = new URL(path, 'http://backend').searchParams;
    const times = (seen.get(path) ?? 0) + 1;
    if (asked.has('fail')) seen.set(path, times);
    const fails = !asked.has('fail') || times <= Number(asked.get('fail'));
    if (asked.has('status') && fails) response.statusCode = Number(asked.get('status'));
    response.setHeader('content-type', 'application/json');
    if (asked.has('location')) response.setHeader('location', asked.get('location') ?? '');
    if (asked.has('cookie')) response.setHeader('set-cookie', asked.getAll('cookie'));
    const answer = () => response.end(`${JSON.stringify(said, undefined, 2)}\n`);
    if (asked.has('delay')) setTimeout(answer, Number(asked.get('delay'))).unref();
    else answer();
  };
  const server = tls ? createTlsServer({ cert: tls.certificatePem, key: tls.keyPem }, echo) : createServer(echo);
  // If an idle connection were closed while a request is on its way, the request would fail for no fault of the gateway.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  });
  return server;
}

/** A server of any protocol, as it is ended. */
export type AnyServer = Server | Http2Server;

export const portOf = (server: AnyServer): number => (server.address() as AddressInfo).port;

/** Ends the server and the connections it has. */
export function closeServer(server: AnyServer): Promise<void> {
  // Sessions of HTTP/2 end with the gateway that opened them.
  if ('closeAllConnections' in server) server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
