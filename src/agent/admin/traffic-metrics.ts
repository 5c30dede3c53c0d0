import { isInnerCluster } from '../../contracts/index.ts';
import type { MetricSet } from '../../telemetry/index.ts';
import type { EnvoyAdmin } from '../envoy/envoy-admin.ts';
import type { Bin, UsedStats } from '../envoy/used-stats.ts';
import { clusterScope, listenerScope } from './traffic.ts';

/** What the metrics are made of. Envoy counts a connection that timed out among those that failed. */
const filter = '^cluster\\..+\\.upstream_cx_connect_fail$|^http\\..+\\.downstream_rq_time$';

/** Seconds: from an answer out of memory to a stream of a model that takes its time. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type DeclaredTraffic = ReturnType<typeof trafficMetrics>;

/** The contract's metrics of users' traffic, under its names. */
export function trafficMetrics(metrics: MetricSet) {
  return {
    connectionErrors: metrics.observedCounter('gateway_dataplane_backend_connection_errors_total', {
      help: "Failed and timed-out connections to backends: the sum of Envoy's cluster.*.upstream_cx_connect_fail.",
    }),
    durations: metrics.observedHistogram('gateway_dataplane_http_request_duration_seconds', {
      help: "Time from request to the end of its response, over all listeners: Envoy's http.*.downstream_rq_time.",
    }),
  };
}

/**
 * What these metrics show: one series for all listeners and one for all backends:
 * Envoy's own have each of them.
 *
 * What a listener or a cluster has counted goes with it in Envoy, and with Envoy. A sum that fell by that would be
 * taken for a counter that began again, and all that is left of it for new. So what is added here is how far each one has
 * come since it was last looked at; what it counts between that look and its end is lost.
 */
export class TrafficMetrics {
  readonly #admin: Pick<EnvoyAdmin, 'usedStats'>;
  #seen: ReadonlyMap<string, number> = new Map();
  #looking: Promise<void> | undefined;
  #connectionErrors = 0;
  #seconds = 0;
  /** How many requests are in each bucket alone; the last one is for those above every bound. */
  readonly #requests = new Array<number>(bounds.length + 1).fill(0);

  constructor(admin: Pick<EnvoyAdmin, 'usedStats'>, { connectionErrors, durations }: DeclaredTraffic) {
    this.#admin = admin;
    connectionErrors.readBy(() => this.#connectionErrors);
    durations.readBy(() => ({ bounds, counts: this.#requests, sum: this.#seconds }));
  }

  /** Takes in what Envoy has counted meanwhile; while it does not answer, all stays as it was. */
  async look(): Promise<void> {
    // One look for all who ask meanwhile: an older answer that came in last would count everything again.
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #look(): Promise<void> {
    const stats = await this.#admin.usedStats(filter).catch(() => undefined);
    if (!stats) return;
    const now = new Map<string, number>();
    const increase = (key: string, value: number): number => {
      now.set(key, value);
      const before = this.#seen.get(key) ?? 0;
      // Envoy, or what is counted, began again.
      return value < before ? value : value - before;
    };
    for (const [name, value] of backendErrors(stats)) this.#connectionErrors += increase(name, value);
    for (const [name, bin] of requestTimes(stats)) {
      const count = increase(`${name} ${bin.lowerBound}`, bin.count);
      const upper = (bin.lowerBound + bin.width) / 1000;
      const bucket = bounds.findIndex((bound) => upper <= bound);
      const place = bucket === -1 ? bounds.length : bucket;
      this.#requests[place] = (this.#requests[place] ?? 0) + count;
      this.#seconds += (count * (bin.lowerBound + bin.width / 2)) / 1000;
    }
    this.#seen = now;
  }
}

const backendErrors = ({ values }: UsedStats): (readonly [string, number])[] =>
  [...values].filter(([name]) => {
    const cluster = clusterScope(name);
    return cluster !== undefined && !isInnerCluster(cluster);
  });

const requestTimes = ({ histograms }: UsedStats): (readonly [string, Bin])[] =>
  [...histograms]
    .filter(([name]) => listenerScope(name) !== undefined)
    .flatMap(([name, bins]) => bins.map((bin) => [name, bin] as const));
