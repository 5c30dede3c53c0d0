import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Endings } from './endings.ts';

/** Starts a server on a free port of 127.0.0.1. It ends with `t`, and its connections with it. */
export async function listening(t: Endings, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => socket.destroy())));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
