import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { issueCertificate } from './certificate.ts';
import type { ExampleBackend } from './example-backend.ts';

/** A TCP backend that answers what it is sent with who it is, and ends. With hostnames it is behind TLS, with a certificate of its own for them. */
export async function startStreamServer(
  backend: string,
  address: string,
  port: number,
  hostnames?: readonly string[],
): Promise<ExampleBackend> {
  const open = new Set<Socket>();
  const answer = (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // A client that goes away mid-sentence is no fault of the backend's.
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.end(`${backend}\n`));
  };
  const server = hostnames ? createTlsServer(await serving(hostnames), answer) : createServer(answer);
  await listening(server, address, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function serving(hostnames: readonly string[]): Promise<{ cert: string; key: string }> {
  const { certificatePem: cert, keyPem: key } = await issueCertificate(hostnames);
  return { cert, key };
}

async function listening(server: Server, address: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  });
}

/** A UDP backend that answers every datagram with who it is. */
export async function startDatagramServer(backend: string, address: string, port: number): Promise<ExampleBackend> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (_, client) => socket.send(`${backend}\n`, client.port, client.address));
  socket.bind(port, address);
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
