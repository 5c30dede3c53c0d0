import type { MetricSet } from '../telemetry/index.ts';

/** Snapshot building; the names with `gateway_` are the contract's. Durations are in seconds. */
export function buildMetrics(metrics: MetricSet) {
  const lastSuccess = metrics.gauge('gateway_snapshot_last_build_success', {
    help: '1 if the latest snapshot build succeeded, 0 if it failed.',
  });
  const failures = metrics.counter('gateway_snapshot_build_failures_total', { help: 'Snapshot builds that failed.' });
  const builds = metrics.counter('builds_total', { help: 'Snapshot builds, including failed ones.' });
  const duration = metrics.histogram('build_duration_seconds', {
    help: 'CPU time spent building a snapshot, excluding time yielded to other work.',
  });
  const convergence = metrics.histogram('snapshot_convergence_seconds', {
    help: 'Time from the first change that led to a snapshot until all connected proxies that it concerns had applied it or a newer one.',
  });
  const unresolved = metrics.observedGauge('objects_unresolved', {
    help: 'Objects that an exception in the control plane keeps from being resolved. Its log has the exception; all others are served.',
  });
  // No build has failed yet, and an alert on 0 must not fire while the first list is under way.
  lastSuccess.set(1);
  const ended = (isSuccess: boolean, seconds: number): void => {
    builds.inc();
    duration.observe(seconds);
    lastSuccess.set(isSuccess ? 1 : 0);
  };
  return {
    /** @param count how many objects an exception keeps from being resolved */
    readMishaps: (count: () => number) => unresolved.readBy(count),
    converged: (seconds: number) => convergence.observe(seconds),
    succeeded: (seconds: number) => ended(true, seconds),
    failed(seconds: number) {
      ended(false, seconds);
      failures.inc();
    },
  };
}
