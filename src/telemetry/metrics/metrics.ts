import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { type AdminMetrics, createAdminMetrics } from './admin-metrics.ts';
import { type AiMetrics, createAiMetrics } from './ai-metrics.ts';
import { type BuildMetrics, createBuildMetrics } from './build-metrics.ts';
import { type ClusterMetrics, createClusterMetrics } from './cluster-metrics.ts';
import { prefix } from './names.ts';
import { createWorldMetrics, type WorldMetrics } from './world-metrics.ts';
import { createXdsMetrics, type XdsMetrics } from './xds-metrics.ts';

/** How often, in ms, the process looks at itself. The defaults are 100 and 10, which alone keep an idle process at a tenth of a core. */
const seldom = { eventLoopUtilizationTimeout: 10_000, eventLoopMonitoringPrecision: 100 };

/** All metrics of the control plane: plain methods by concern, so that a part can take the few it needs as callbacks. */
export interface Metrics extends MetricsText {
  readonly builds: BuildMetrics;
  readonly xds: XdsMetrics;
  readonly cluster: ClusterMetrics;
  readonly admin: AdminMetrics;
  readonly ai: AiMetrics;
  readonly world: WorldMetrics;
}

/** What a listener for scrapes needs. */
export interface MetricsText {
  /** The Prometheus text exposition. */
  text(): Promise<string>;
  readonly contentType: string;
}

/**
 * Metrics with a registry of their own. With `process` (the default) they include CPU, memory, file descriptors and the
 * event loop, which are sampled by timers that never keep a process alive; once per process is enough.
 */
export function createMetrics({ process = true }: { readonly process?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (process) collectDefaultMetrics({ register: registry, prefix, ...seldom });
  return {
    builds: createBuildMetrics(registry),
    xds: createXdsMetrics(registry),
    cluster: createClusterMetrics(registry),
    admin: createAdminMetrics(registry),
    ai: createAiMetrics(registry),
    world: createWorldMetrics(registry),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
