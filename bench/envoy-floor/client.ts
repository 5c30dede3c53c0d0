import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';

/** Asks over one kept connection; 0 when there is no answer. */
export class Prober {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  status(host: string, path = '/a'): Promise<number> {
    return new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: this.#port, path, headers: { host }, agent: this.#agent };
      get(options, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      }).on('error', () => resolve(0));
    });
  }

  /** Milliseconds until the host answers 200. */
  async untilServed(host: string, timeoutMs = 120_000): Promise<number> {
    const start = performance.now();
    while ((await this.status(host)) !== 200) {
      if (performance.now() - start > timeoutMs) throw new Error(`${host} was not served within ${timeoutMs} ms`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return performance.now() - start;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Several connections with one request under way on each: light enough that a burst is over before it is preempted. */
export class BurstClient {
  readonly #sockets: readonly Socket[];

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  static async open(port: number, connections = 8): Promise<BurstClient> {
    const opened = Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      return socket;
    });
    return new BurstClient(await Promise.all(opened));
  }

  /** `headers`: further lines, each with its line break. */
  async burst(host: string, path: string, count: number, headers = ''): Promise<void> {
    let left = count;
    const ask = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;
    await Promise.all(
      this.#sockets.map(async (socket) => {
        while (left-- > 0) {
          socket.write(ask);
          await wholeResponse(socket);
        }
      }),
    );
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

async function wholeResponse(socket: Socket): Promise<void> {
  let text = '';
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    text += chunk.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end >= 0 && text.length >= end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)) return;
  }
}
