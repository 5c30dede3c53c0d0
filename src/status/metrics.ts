import type { MetricSet } from '../telemetry/index.ts';

/** Writing statuses. */
export function statusMetrics(metrics: MetricSet) {
  const writes = metrics.counter('status_writes_total', {
    help: 'Status updates written, by kind and result.',
    labels: ['kind', 'result'],
  });
  /** `result`: such as `written`, `conflict`, `gone` or `error`. */
  return { written: (kind: string, result: string) => writes.inc({ kind, result }) };
}
