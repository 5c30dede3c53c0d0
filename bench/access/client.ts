import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import { TimedConnection } from '../support/timed-connection.ts';

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
  readonly #connections: readonly TimedConnection[];

  private constructor(connections: readonly TimedConnection[]) {
    this.#connections = connections;
  }

  /** With a `servername` over TLS; any certificate is taken. */
  static async open(port: number, { servername }: { readonly servername?: string } = {}): Promise<TimedClient> {
    const to = { host: '127.0.0.1', port };
    const opened = Array.from({ length: connections }, async () => {
      const socket =
        servername === undefined ? connect(to) : connectByTls({ ...to, servername, rejectUnauthorized: false });
      await once(socket, servername === undefined ? 'connect' : 'secureConnect');
      return new TimedConnection(socket.setNoDelay());
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
