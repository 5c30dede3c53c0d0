import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { ExecutionContext } from 'ava';

/** A server of no protocol: what it gets comes back in capitals. */
export interface Loud {
  readonly port: number;
  readonly connections: number;
}

export async function startLoud(t: ExecutionContext): Promise<Loud> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('data', (said) => socket.write(String(said).toUpperCase())).on('error', () => {});
    socket.once('end', () => socket.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get connections() {
      return connections;
    },
  };
}

export interface Tunnel {
  readonly status: number;
  /** What came back of `hello`, where it opened. */
  readonly text: string;
}

/** Bytes as they are written, and `hello` once the answer is 200. */
export function tunnelRaw(port: number, head: string): Promise<Tunnel> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    let got = '';
    let opened = false;
    const end = () => {
      socket.destroy();
      const [status = '', text = ''] = [/^HTTP\/1\.[01] (\d{3})/.exec(got)?.[1], got.split('\r\n\r\n')[1]];
      resolve({ status: Number(status), text: opened ? text : '' });
    };
    socket.on('data', (piece) => {
      got += piece;
      if (!got.includes('\r\n\r\n')) return;
      if (!got.startsWith('HTTP/1.1 200')) return end();
      if (!opened) socket.write('hello');
      opened = true;
      if (got.endsWith('HELLO')) end();
    });
    socket.once('error', reject);
    socket.once('close', end);
  });
}

/** By HTTP/1.1. */
export const tunnel1 = (port: number, authority: string, lines: readonly string[] = [`Host: ${authority}`]) =>
  tunnelRaw(port, `${[`CONNECT ${authority} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);

/** By HTTP/2. */
export function tunnel2(
  port: number,
  authority: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Tunnel> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const stream = session.request({ ':method': 'CONNECT', ':authority': authority, ...headers }, { endStream: false });
    let [status, text] = [0, ''];
    stream.on('response', ({ ':status': answered = 0 }) => {
      status = answered;
      if (status === 200) stream.write('hello');
      else stream.close();
    });
    stream.on('data', (piece) => {
      text += piece;
      if (text === 'HELLO') stream.close();
    });
    stream.once('close', () => {
      session.destroy();
      resolve({ status, text: status === 200 ? text : '' });
    });
    for (const each of [session, stream]) each.once('error', reject);
  });
}
