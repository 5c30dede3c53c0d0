import type { MetricSet } from '../telemetry/index.ts';

const outcomes = ['success', 'blocked', 'unreachable', 'timeout', 'too_large', 'invalid'] as const;

/** Keys that the control plane fetches. */
export function keysMetrics(metrics: MetricSet) {
  const fetches = metrics.counter('key_fetches_total', {
    help: 'Attempts to fetch keys that tokens are verified by, by outcome. Only the leader fetches.',
    labels: ['outcome'],
    initial: outcomes.map((outcome) => ({ outcome })),
  });
  const age = metrics.observedGauge('key_sets_oldest_age_seconds', {
    help: 'Seconds since the last successful fetch of the set of keys in use that is oldest. 0 without such sets.',
  });
  return {
    fetched: (outcome: (typeof outcomes)[number]) => fetches.inc({ outcome }),
    /** Says who knows the age. */
    ageIs: (read: () => number) => age.readBy(read),
  };
}
