import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { durationBuckets, prefix } from './names.ts';

/** What the builder tells. Durations in seconds. */
export interface BuildMetrics {
  succeeded(seconds: number): void;
  failed(seconds: number): void;
  /** A snapshot went to the xDS server. */
  published(): void;
}

/** Snapshot building; the first two names are the contract's. */
export function createBuildMetrics(registry: Registry): BuildMetrics {
  const registers = [registry];
  const lastSuccess = new Gauge({
    name: `${prefix}gateway_snapshot_last_build_success`,
    help: '0 when the latest snapshot build failed, else 1.',
    registers,
  });
  const failures = new Counter({
    name: `${prefix}gateway_snapshot_build_failures_total`,
    help: 'Snapshot builds that failed.',
    registers,
  });
  const builds = new Counter({
    name: `${prefix}builds_total`,
    help: 'Snapshot builds, failed ones included.',
    registers,
  });
  const duration = new Histogram({
    name: `${prefix}build_duration_seconds`,
    help: 'How long was worked for a snapshot build; others have turns between its slices.',
    buckets: durationBuckets,
    registers,
  });
  const published = new Counter({
    name: `${prefix}published_total`,
    help: 'Snapshots published to proxies.',
    registers,
  });
  // No build has failed yet, and an alert on 0 must not fire while the first list is under way.
  lastSuccess.set(1);
  const ended = (success: boolean, seconds: number): void => {
    builds.inc();
    duration.observe(seconds);
    lastSuccess.set(success ? 1 : 0);
  };
  return {
    succeeded: (seconds) => ended(true, seconds),
    failed: (seconds) => {
      ended(false, seconds);
      failures.inc();
    },
    published: () => published.inc(),
  };
}
