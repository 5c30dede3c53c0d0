import { type Bucket, type EnvoyStats, quantile } from '../envoy/stats.ts';

/** Which of Envoy's statistics are about users' traffic: of listeners by the prefix that they have, of backends by their clusters. */
export const trafficFilter =
  '^(http|tcp|udp)\\..+\\.downstream_(rq_(total|[1-5]xx|time)|cx_[rt]x_bytes(_total|_received|_sent)?|sess_[rt]x_bytes)$|' +
  '^cluster\\..+\\.upstream_(rq_(total|[1-5]xx|time|retry|retry_overflow|pending_overflow|timeout)|cx_(connect_fail|overflow|active))$';

const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** Envoy's own admin interface and the agent's clusters are not users' traffic; nor is what it counts a second time by origin. */
const isInternal = (scope: string): boolean =>
  scope === 'admin' || scope.startsWith('gatewright_') || /\.(external|internal|canary)$/.test(scope);

const listenerStat = /^(?:http|tcp|udp)\.(?<scope>.+)\.downstream_(?<stat>\w+)$/;
const clusterStat = /^cluster\.(?<scope>.+)\.upstream_(?<stat>\w+)$/;

const scopeIn =
  (pattern: RegExp) =>
  (name: string): string | undefined => {
    const scope = pattern.exec(name)?.groups?.scope;
    return scope === undefined || isInternal(scope) ? undefined : scope;
  };

/** Which listener of users' traffic a statistic is of, by the prefix that it has; undefined: of none. */
export const listenerScope = scopeIn(listenerStat);
/** Which cluster of users' traffic a statistic is of; undefined: of none. */
export const clusterScope = scopeIn(clusterStat);

/** Statistics of one listener or cluster. */
class Scope {
  readonly values = new Map<string, number>();
  readonly times: (readonly Bucket[])[] = [];

  value(...names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.values.get(name) ?? 0), 0);
  }
}

function scopesOf({ values, histograms }: EnvoyStats, pattern: RegExp): Map<string, Scope> {
  const scopes = new Map<string, Scope>();
  const placeOf = (name: string) => {
    const { scope, stat } = pattern.exec(name)?.groups ?? {};
    if (scope === undefined || stat === undefined || isInternal(scope)) return undefined;
    const known = scopes.get(scope) ?? new Scope();
    scopes.set(scope, known);
    return { scope: known, stat };
  };
  for (const [name, value] of values) {
    const place = placeOf(name);
    place?.scope.values.set(place.stat, value);
  }
  for (const [name, buckets] of histograms) {
    const place = placeOf(name);
    if (place?.stat === 'rq_time') place.scope.times.push(buckets);
  }
  return new Map([...scopes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const latency = (times: readonly (readonly Bucket[])[]) => ({
  p50: quantile(times, 0.5),
  p95: quantile(times, 0.95),
  p99: quantile(times, 0.99),
});

const traffic = (scopes: readonly Scope[]) => {
  const sum = (...names: readonly string[]): number =>
    scopes.reduce((total, scope) => total + scope.value(...names), 0);
  return {
    requests: sum('rq_total'),
    responses: Object.fromEntries(classes.map((name) => [name, sum(`rq_${name}`)])),
    latency_ms: latency(scopes.flatMap(({ times }) => times)),
    bytes: {
      received: sum('cx_rx_bytes_total', 'sess_rx_bytes'),
      sent: sum('cx_tx_bytes_total', 'sess_tx_bytes'),
    },
  };
};

const pool = (scope: Scope) => ({
  requests: scope.value('rq_total'),
  responses: Object.fromEntries(classes.map((name) => [name, scope.value(`rq_${name}`)])),
  latency_ms: latency(scope.times),
  retries: scope.value('rq_retry'),
  timeouts: scope.value('rq_timeout'),
  circuit_breaker_trips: scope.value('cx_overflow', 'rq_pending_overflow', 'rq_retry_overflow'),
  connection_failures: scope.value('cx_connect_fail'),
  active_connections: scope.value('cx_active'),
});

/** `/api/v1/stats`: since Envoy started, all together, by listener and by cluster. Latencies are whole requests, in milliseconds. */
export function trafficRecord(stats: EnvoyStats) {
  const listeners = scopesOf(stats, listenerStat);
  const clusters = scopesOf(stats, clusterStat);
  const sum = (...names: readonly string[]): number =>
    [...clusters.values()].reduce((total, scope) => total + scope.value(...names), 0);
  return {
    ...traffic([...listeners.values()]),
    retries: sum('rq_retry'),
    circuit_breaker_trips: sum('cx_overflow', 'rq_pending_overflow', 'rq_retry_overflow'),
    listeners: [...listeners].map(([name, scope]) => ({ name, ...traffic([scope]) })),
    backends: [...clusters].map(([name, scope]) => ({ name, ...pool(scope) })),
  };
}
