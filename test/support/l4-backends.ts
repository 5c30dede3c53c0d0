import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls';

/** Backends that say who they are, and clients that listen to them; everything on 127.0.0.1. */

interface Owner {
  teardown(end: () => void): void;
}

/** Says its name to every connection and closes it. Gives its port. */
export async function startTcpBackend(t: Owner, name: string): Promise<number> {
  return await listening(
    t,
    createServer((socket) => greet(socket, name)),
  );
}

/** Echoes whatever it receives, for as long as the connection lasts. */
export async function startEchoBackend(t: Owner): Promise<number> {
  const open = new Set<Socket>();
  t.teardown(() => {
    for (const socket of open) socket.destroy();
  });
  return await listening(
    t,
    createServer((socket) => {
      open.add(socket.on('error', () => socket.destroy()));
      socket.pipe(socket);
    }),
  );
}

interface EchoConnection {
  /** Gives the answer, or rejects when the connection has ended. */
  say(text: string): Promise<string>;
  /** Resolves when it has. */
  readonly ended: Promise<void>;
}

/** A connection that is kept. */
export async function openEcho(t: Owner, port: number): Promise<EchoConnection> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  const ended = new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()));
  const say = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      socket.once('data', (answer: Buffer) => resolve(answer.toString()));
      void ended.then(() => reject(new Error('the connection was closed')));
      socket.write(text);
    });
  return { say, ended };
}

/** A certificate with its key, in PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/**
 * A TCP backend behind a TLS handshake of its own. With `authority` it says behind its name who its client is, if that
 * shows a certificate. It rejects clients that offer protocols by ALPN, but for one that no client knows.
 */
export async function startTlsBackend(t: Owner, name: string, pair: Pair, authority?: string): Promise<number> {
  const checks = authority !== undefined && { ca: authority, requestCert: true, rejectUnauthorized: false };
  const options = { cert: pair.certificate, key: pair.key, ALPNProtocols: ['unknown-protocol'], ...checks };
  const server = createTlsServer(options, (socket) => {
    const client = socket.authorized ? ` for ${socket.getPeerCertificate().subject.CN}` : '';
    greet(socket, `${name}${client}`);
  });
  return await listening(t, server);
}

function greet(socket: Socket, name: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(name);
}

async function listening(t: Owner, server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Answers every datagram with its name. */
export async function startUdpBackend(t: Owner, name: string): Promise<number> {
  const socket = createSocket('udp4');
  socket.on('message', (_, { port, address }) => socket.send(name, port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return socket.address().port;
}

/** What a connection receives until it ends: empty when it is closed silently. */
export const askTcp = (port: number): Promise<string> => readAll(connect(port, '127.0.0.1'));

/** What a TLS connection receives, with the common name of the certificate; empty when there is no handshake. `client` is what it shows. */
export async function askTls(
  port: number,
  servername?: string,
  client?: Pair,
): Promise<{ text: string; certificate?: string }> {
  const socket = tlsConnect({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ...(servername && { servername }),
    ...(client && { cert: client.certificate, key: client.key }),
  });
  let certificate: string | undefined;
  socket.once('secureConnect', () => {
    certificate = String(socket.getPeerCertificate().subject?.CN);
  });
  const text = await readAll(socket);
  return { text, ...(certificate !== undefined && { certificate }) };
}

function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    // A reset instead of an orderly end says the same: nothing more comes.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

/** Clients of a UDP port, each with a port of its own. `answers` grows as answers come. */
export async function askUdp(
  t: Owner,
  port: number,
  clients: number,
): Promise<{ readonly answers: readonly string[] }> {
  const answers: string[] = [];
  for (let client = 0; client < clients; client++) {
    const socket = createSocket('udp4');
    t.teardown(() => socket.close());
    socket.on('message', (message) => answers.push(message.toString()));
    socket.send('who', port, '127.0.0.1');
    await once(socket, 'listening');
  }
  return { answers };
}

export const countOf = (answers: readonly string[], name: string): number =>
  answers.filter((answer) => answer === name).length;
