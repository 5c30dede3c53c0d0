import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { TimedConnection } from './timed-connection.ts';

export interface Pace {
  readonly count: number;
  readonly perSecond: number;
}

/** Used in turn, so that all proxies behind the port get their part. */
const connectionsAtFirst = 16;

/**
 * Sends requests at a fixed rate, whether or not those before were answered: an open loop. A request takes the connection that has been idle the
 * longest, or a new one where all are busy. All answers must be 200.
 */
export class PacedClient {
  readonly #port: number;
  readonly #all: TimedConnection[] = [];
  readonly #idle: TimedConnection[] = [];

  constructor(port: number) {
    this.#port = port;
    for (let count = 0; count < connectionsAtFirst; count += 1) this.#idle.push(this.#open());
  }

  /**
   * Milliseconds of each request, from the time at which it should have been sent to the last byte of its answer: one that was sent late because the
   * machine is busy has waited, too.
   *
   * @throws when an answer is not 200
   */
  async send(message: string, { count, perSecond }: Pace): Promise<number[]> {
    const ticks = new Worker(new URL('./ticking.ts', import.meta.url), { workerData: { count, perSecond } });
    const latencies: Promise<number>[] = [];
    return await new Promise((resolve, reject) => {
      ticks.once('error', reject);
      ticks.on('message', (due: number) => {
        const latency = this.#ask(message, due);
        latency.catch(reject);
        latencies.push(latency);
      });
      ticks.once('exit', () => Promise.all(latencies).then(resolve, reject));
    });
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  async #ask(message: string, due: number): Promise<number> {
    const connection = this.#idle.shift() ?? this.#open();
    const status = await connection.ask(message);
    const latency = Number(process.hrtime.bigint()) / 1e6 - due;
    if (status !== 200) throw new Error(`answered ${status}: ${message.slice(0, 200)}`);
    this.#idle.push(connection);
    return latency;
  }

  #open(): TimedConnection {
    // What is written before it is open waits.
    const connection = new TimedConnection(connect(this.#port, '127.0.0.1').setNoDelay());
    this.#all.push(connection);
    return connection;
  }
}
