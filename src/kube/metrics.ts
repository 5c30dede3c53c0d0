import type { MetricSet } from '../telemetry/index.ts';

/** Reading the API server. */
export function kubeMetrics(metrics: MetricSet) {
  const restarts = metrics.counter('watch_restarts_total', {
    help: 'Watches that had to be reopened, by kind and reason.',
    labels: ['kind', 'reason'],
  });
  return { watchRestarted: (kind: string, reason: string) => restarts.inc({ kind, reason }) };
}
