import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Door, statusOf } from './ask.ts';

export interface CanaryOptions {
  readonly host: string;
  /** Statuses that are as they should be; 0: no answer. */
  readonly expected: readonly number[];
  /** Between an answer and the next request; 20 by default. */
  readonly pauseMs?: number;
}

/** An answer that takes longer is none. */
const patienceMs = 30_000;

/** Requests a route all the time, on new connections and on one that is kept, in turn: what others do must not show in its answers. */
export class Canary {
  readonly #door: Door;
  readonly #options: CanaryOptions;
  readonly #wrong: string[] = [];
  readonly #kept = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #running: Promise<void>;
  #asked = 0;
  #isOver = false;

  constructor(door: Door, options: CanaryOptions) {
    this.#door = door;
    this.#options = options;
    this.#running = this.#run();
  }

  get asked(): number {
    return this.#asked;
  }

  /** Each answer that was another. */
  get wrong(): readonly string[] {
    return this.#wrong;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    this.#kept.destroy();
  }

  async #run(): Promise<void> {
    const { host, expected, pauseMs = 20 } = this.#options;
    for (let at = 0; !this.#isOver; at += 1) {
      const isNew = at % 2 === 0;
      const status = await statusOf(this.#door, host, isNew ? false : this.#kept, patienceMs);
      this.#asked += 1;
      // A connection that is kept may have been closed just before, in good order: any client asks again then.
      const isClosed = status === 0 && !isNew;
      if (!isClosed && !expected.includes(status))
        this.#wrong.push(`${host}: ${status} at ${new Date().toISOString()}`);
      await delay(pauseMs);
    }
  }
}
