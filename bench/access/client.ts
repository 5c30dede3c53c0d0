import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';

const connections = 8;

/** What the requests of one burst took. */
export interface Burst {
  /** Of each request, from its write to the last byte of its answer. */
  readonly latenciesMs: readonly number[];
  readonly elapsedMs: number;
}

/**
 * Several connections of HTTP/1.1 with one request under way on each. An answer is read as far as its length says, and must be 200: what is
 * measured is never an error.
 */
export class TimedClient {
  readonly #connections: readonly Connection[];

  private constructor(connections: readonly Connection[]) {
    this.#connections = connections;
  }

  /** With a `servername` over TLS; any certificate is taken. */
  static async open(port: number, { servername }: { readonly servername?: string } = {}): Promise<TimedClient> {
    const to = { host: '127.0.0.1', port };
    const opened = Array.from({ length: connections }, async () => {
      const socket =
        servername === undefined ? connect(to) : connectByTls({ ...to, servername, rejectUnauthorized: false });
      await once(socket, servername === undefined ? 'connect' : 'secureConnect');
      return new Connection(socket.setNoDelay());
    });
    return new TimedClient(await Promise.all(opened));
  }

  /** `messageOf`: the whole request of that number. @throws when an answer is not 200 */
  async burst(count: number, messageOf: (at: number) => string): Promise<Burst> {
    const latenciesMs: number[] = [];
    let next = 0;
    const began = performance.now();
    await Promise.all(
      this.#connections.map(async (connection) => {
        for (let at = next++; at < count; at = next++) {
          const sent = performance.now();
          const status = await connection.ask(messageOf(at));
          if (status !== 200) throw new Error(`answered ${status}: ${messageOf(at).slice(0, 200)}`);
          latenciesMs.push(performance.now() - sent);
        }
      }),
    );
    return { latenciesMs, elapsedMs: performance.now() - began };
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

class Connection {
  readonly #socket: Socket;
  #text = '';
  #waiting: { readonly resolve: (status: number) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the gateway closed a connection')));
  }

  ask(message: string): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error('the gateway has closed a connection'));
      this.#waiting = { resolve, reject };
      this.#socket.write(message);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #read(more: string): void {
    this.#text += more;
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = headOf(this.#text.slice(0, end));
    if (!head) {
      this.#fail(new Error(`no answer with a status and a length: ${JSON.stringify(this.#text.slice(0, 500))}`));
      return;
    }
    const { status, length } = head;
    if (this.#text.length < end + 4 + length) return;
    this.#text = this.#text.slice(end + 4 + length);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(status);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

/** Undefined for what is no answer, or does not say how long it is. */
function headOf(text: string): { readonly status: number; readonly length: number } | undefined {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  return status === undefined || length === undefined ? undefined : { status: Number(status), length: Number(length) };
}
