import { type AddressInfo, createServer } from 'node:net';
import type { Endings } from './endings.ts';
import { xObject } from './objects.ts';

export interface Trap {
  readonly port: number;
  /** Connections so far. */
  connections: number;
}

/** Counts who connects to an address. It speaks enough HTTP that a request would be answered. */
export async function plant(t: Endings, host: string, port = 0): Promise<Trap> {
  const trap = { port, connections: 0 };
  const server = createServer((socket) => {
    trap.connections += 1;
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nsecret'));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  trap.port = (server.address() as AddressInfo).port;
  t.teardown(() => void server.close());
  return trap;
}

export const external = (name: string, hostname: string, port: number) =>
  xObject('XBackend', name, { type: 'ExternalHostname', externalHostname: { hostname }, port: { number: port } });
