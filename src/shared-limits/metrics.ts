import type { MetricSet } from '../telemetry/index.ts';

export type SharedLimitsMetrics = ReturnType<typeof sharedLimitsMetrics>;

/** Of limits that all proxies of a Gateway share. */
export function sharedLimitsMetrics(metrics: MetricSet) {
  const takes = metrics.counter('shared_limit_takes_total', {
    help: 'Keys of shared rate limits for which agents asked for requests, by who keeps them: this replica, another one, or a server of `rateLimits`.',
    labels: ['keeper'],
  });
  const keys = metrics.observedGauge('shared_limit_keys', {
    help: 'Keys of shared rate limits that this replica keeps.',
  });
  const store = metrics.observedGauge('shared_limit_store_connected', {
    help: 'Whether the server of `rateLimits` answers, which keeps shared rate limits: 1 or 0. Not there without one.',
  });
  return {
    taken(keeper: 'self' | 'replica' | 'store', count: number) {
      takes.inc({ keeper }, count);
    },
    readKeys(read: () => number) {
      keys.readBy(read);
    },
    readStore(isConnected: () => boolean) {
      store.readBy(() => (isConnected() ? 1 : 0));
    },
  };
}
