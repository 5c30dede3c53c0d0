import type { MetricSet } from '../../telemetry/index.ts';

/** Leader election. */
export function leaderMetrics(metrics: MetricSet) {
  const leader = metrics.gauge('leader', {
    help: '1 while this replica is the leader, which writes statuses and proxy resources. Otherwise 0.',
  });
  return { leads: (isLeader: boolean) => leader.set(isLeader ? 1 : 0) };
}
