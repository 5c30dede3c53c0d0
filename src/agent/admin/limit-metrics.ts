import type { MetricSet } from '../../telemetry/index.ts';
import type { LimitService } from '../limits/index.ts';

/** Of rate limits that this proxy shares with others. */
export function limitMetrics(metrics: MetricSet) {
  const count = (name: string, help: string) =>
    metrics.observedCounter(`gateway_dataplane_shared_limit_${name}_total`, { help });
  return {
    requests: metrics.observedCounter('gateway_dataplane_shared_limit_requests_total', {
      help: 'Requests that counted against shared rate limits, and those of requests under way, by bucket: passed, rejected, shadowed (only would have been) or unknown (rejected since no control plane answered).',
      labels: ['bucket', 'outcome'],
    }),
    fromLease: count('leased', 'Requests of shared rate limits that were decided without asking the control plane.'),
    alone: count('alone', 'Requests of shared rate limits that were decided while no control plane answered.'),
    calls: count('calls', 'Messages to the control plane about shared rate limits.'),
  };
}

export function readLimits(
  { requests, fromLease, alone, calls }: ReturnType<typeof limitMetrics>,
  limits: Pick<LimitService, 'counts' | 'calls'>,
): void {
  requests.readBy(() => [...limits.counts.list()]);
  fromLease.readBy(() => limits.counts.fromLease);
  alone.readBy(() => limits.counts.alone);
  calls.readBy(() => limits.calls);
}
