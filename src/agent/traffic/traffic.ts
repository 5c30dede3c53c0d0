import { maxTrafficCounters, trafficPrefix } from '../../contracts/index.ts';
import type { Clock } from '../clock.ts';
import type { EnvoyAdmin } from '../envoy/envoy-admin.ts';
import { Counters } from './counters.ts';
import type { EndpointWatch } from './endpoint-watch.ts';
import type { Reports } from './reports.ts';

/** The Envoy that is read. */
export interface ReadEnvoy {
  readonly admin: Pick<EnvoyAdmin, 'counters'>;
  /** Undefined while there is none that could be asked. */
  readonly pid: number | undefined;
}

export interface TrafficOptions {
  readonly envoy: ReadEnvoy;
  readonly reports: Pick<Reports, 'counted'>;
  readonly endpoints: Pick<EndpointWatch, 'look'>;
  readonly clock: Clock;
  /** How often counters are read at most, in milliseconds. */
  readonly intervalMs: number;
}

/** A reading may take this share of a core: where it takes longer, there are fewer. */
const mostOfCore = 0.005;
const longestMs = 60_000;
/** How many readings say how long one takes; the shortest counts, for a busy machine makes all of them longer. */
const remembered = 5;
/** Envoy drops counters above the limit silently. */
const nearLimit = 0.98 * maxTrafficCounters;

/** Reads Envoy's counters of traffic again and again, and reports how far they have come. */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #counters = new Counters();
  readonly #took: number[] = [];
  #from: number;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#from = options.clock.now().getTime();
  }

  /** Reads until `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await clock.delay(this.#waitMs, signal).catch(() => undefined);
      if (!signal.aborted) await this.read();
    }
  }

  /** Reads what there is now, such as before Envoy ends. Never rejects. */
  read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  get #waitMs(): number {
    const took = this.#took.length === 0 ? 0 : Math.min(...this.#took);
    return Math.min(longestMs, Math.max(this.#options.intervalMs, took / mostOfCore));
  }

  async #read(): Promise<void> {
    const { envoy, clock, reports, endpoints } = this.#options;
    const { pid } = envoy;
    if (pid === undefined) return;
    const to = clock.now().getTime();
    const isWhole = await this.#take(pid).catch(() => false);
    if (isWhole) this.#note(clock.now().getTime() - to);
    const [rows, picks] = [this.#counters.drain(), this.#counters.drainPicks()];
    reports.counted({ from: this.#from, to, rows, picks }, this.#counters.size < nearLimit);
    this.#from = to;
    // An Envoy that does not answer is asked again.
    await endpoints.look().catch(() => undefined);
  }

  /** Whether all of them came, from this Envoy. */
  async #take(pid: number): Promise<boolean> {
    const { envoy } = this.#options;
    const answer = await envoy.admin.counters(`^${trafficPrefix}\\.`);
    if (envoy.pid !== pid) return false;
    this.#counters.begin(pid);
    let rest = '';
    for await (const chunk of answer) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const end = line.lastIndexOf(': ');
        if (end > 0) this.#counters.take(line.slice(0, end), Number(line.slice(end + 2)));
      }
    }
    this.#counters.end();
    return true;
  }

  #note(tookMs: number): void {
    this.#took.push(tookMs);
    if (this.#took.length > remembered) this.#took.shift();
  }
}
