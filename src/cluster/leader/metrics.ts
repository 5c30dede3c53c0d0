import type { MetricSet } from '../../telemetry/index.ts';

/** Leader election. */
export function leaderMetrics(metrics: MetricSet) {
  const leader = metrics.gauge('leader', { help: '1 when this replica writes status.' });
  return { leads: (isLeader: boolean) => leader.set(isLeader ? 1 : 0) };
}
