import type { EnvoyAdmin } from '../envoy/envoy-admin.ts';
import type { EnvoyStats } from '../envoy/stats.ts';

/** Which of Envoy's statistics are about users' connections. */
export const connectionFilter =
  '^listener\\..+\\.(downstream_(cx_(active|total|overflow|overload_reject)|global_cx_overflow|pre_cx_timeout)|ssl\\.connection_error|no_filter_chain_match)$';

const totalFilter = '^listener\\..+\\.downstream_cx_total$';

// Those of single workers are in the sums already.
const stat =
  /^listener\.(?!admin\.|gatewright_)(?!.*\.worker_\d+\.).+?\.(?<name>downstream_\w+|ssl\.connection_error|no_filter_chain_match)$/;

const errors = [
  'downstream_cx_overflow',
  'downstream_cx_overload_reject',
  'downstream_global_cx_overflow',
  'downstream_pre_cx_timeout',
  'ssl.connection_error',
  'no_filter_chain_match',
];

function sum({ values }: EnvoyStats, names: readonly string[]): number {
  let total = 0;
  for (const [name, value] of values) {
    const found = stat.exec(name)?.groups?.name;
    if (found !== undefined && names.includes(found)) total += value;
  }
  return total;
}

/** `/api/v1/stats/connections` */
export const connectionsRecord = (stats: EnvoyStats, perSecond: number) => ({
  active_connections: sum(stats, ['downstream_cx_active']),
  connections_per_second: perSecond,
  total_connections: sum(stats, ['downstream_cx_total']),
  connection_errors: sum(stats, errors),
});

/** Connections of users since Envoy started. */
export const totalConnections = async (envoy: EnvoyAdmin): Promise<number> =>
  sum(await envoy.stats(totalFilter), ['downstream_cx_total']);

/** The rate is that of this time, in milliseconds. */
const windowMs = 10_000;
/** Samples are taken this often while requests come, and for a minute after. */
const everyMs = 1000;
const lingerMs = 60_000;

interface Sample {
  readonly at: number;
  readonly total: number;
}

/**
 * Connections per second over the last ten seconds. Samples are taken only while requests come, for an agent that gets none
 * should cost nothing; the first answer after a silence is over the time since then, or since the agent started.
 */
export class ConnectionRate {
  readonly #total: () => Promise<number>;
  readonly #now: () => Date;
  #samples: Sample[];
  #askedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ total, now }: { readonly total: () => Promise<number>; readonly now: () => Date }) {
    this.#total = total;
    this.#now = now;
    this.#samples = [{ at: now().getTime(), total: 0 }];
  }

  async perSecond(): Promise<number> {
    this.#askedAt = this.#now().getTime();
    const newest = await this.#sample();
    this.#schedule();
    const oldest = this.#samples[0] ?? newest;
    const seconds = (newest.at - oldest.at) / 1000;
    return seconds <= 0 ? 0 : Math.round((Math.max(0, newest.total - oldest.total) / seconds) * 100) / 100;
  }

  async #sample(): Promise<Sample> {
    const total = await this.#total();
    const sample = { at: this.#now().getTime(), total };
    // Envoy started again: what was before counts no more.
    if ((this.#samples.at(-1)?.total ?? 0) > total) this.#samples = [];
    this.#samples.push(sample);
    // One sample may be older than the window: the one that the window begins after.
    while ((this.#samples[1]?.at ?? Number.POSITIVE_INFINITY) <= sample.at - windowMs) this.#samples.shift();
    return sample;
  }

  #schedule(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#now().getTime() - this.#askedAt > lingerMs) return;
      this.#sample().catch(() => undefined);
      this.#schedule();
    }, everyMs);
    // Looking at an agent must not keep it from ending.
    this.#timer.unref();
  }
}
