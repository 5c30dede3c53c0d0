import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an echo server says of a request, as JSON. */
export interface Echo {
  readonly backend: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A backend that answers every request with what it saw, and who it is. */
export async function startEchoServer(backend: string, address: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    const echo: Echo = { backend, method, path, headers };
    response.setHeader('content-type', 'application/json');
    response.end(`${JSON.stringify(echo, undefined, 2)}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  });
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Ends the server and the connections it has. */
export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
