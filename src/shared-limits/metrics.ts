import type { MetricSet } from '../telemetry/index.ts';

export type SharedLimitsMetrics = ReturnType<typeof sharedLimitsMetrics>;

/** Of limits that all proxies of a Gateway share. */
export function sharedLimitsMetrics(metrics: MetricSet) {
  const takes = metrics.counter('shared_limit_takes_total', {
    help: 'Keys of shared rate limits for which agents asked for requests, by whether this replica keeps them.',
    labels: ['keeper'],
  });
  const keys = metrics.observedGauge('shared_limit_keys', {
    help: 'Keys of shared rate limits that this replica keeps.',
  });
  return {
    taken(keeper: 'self' | 'replica', count: number) {
      takes.inc({ keeper }, count);
    },
    readKeys(read: () => number) {
      keys.readBy(read);
    },
  };
}
