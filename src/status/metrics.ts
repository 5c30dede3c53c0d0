import type { MetricSet } from '../telemetry/index.ts';

/** Writing statuses. */
export function statusMetrics(metrics: MetricSet) {
  const writes = metrics.counter('status_writes_total', {
    help: 'Status updates written, by kind and result.',
    labels: ['kind', 'result'],
  });
  const events = metrics.counter('events_total', {
    help: 'Kubernetes Events about objects: `written`, `limited` (dropped above the limit) or `error`.',
    labels: ['result'],
    initial: [{ result: 'written' }, { result: 'limited' }, { result: 'error' }],
  });
  /** `result`: such as `written`, `conflict`, `gone` or `error`. */
  return {
    written: (kind: string, result: string) => writes.inc({ kind, result }),
    eventWritten: (result: string) => events.inc({ result }),
  };
}
