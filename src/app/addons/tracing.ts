import { ControlPlaneSpans, tracingMetrics } from '../../addons/tracing/index.ts';
import type { AddressGuard } from '../../outgoing/index.ts';
import { SpanExporter } from '../../spans/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core } from '../control-plane/index.ts';

/** Makes spans of what the control plane does, where the configuration names a receiver. The result sends those that wait. */
export function buildTracing(core: Core, guard: AddressGuard): () => Promise<void> {
  const { config, version, leadership, logger, metrics, traced } = core;
  const { otlpUrl, samplingPercent } = config.tracing;
  const counts = tracingMetrics(metrics.set);
  if (otlpUrl === undefined) return async () => {};
  const exporter = new SpanExporter({
    guard,
    version,
    instance: leadership().identity,
    config: { ...config.tracing, otlpUrl },
    section: 'tracing',
    scope: 'gatewright.control_plane',
    logger: componentLogger(logger, 'tracing'),
    onResult: counts.spans,
  });
  traced.tracer = new ControlPlaneSpans({ exporter, samplingPercent });
  return async () => {
    traced.tracer = undefined;
    await exporter.stop();
  };
}
