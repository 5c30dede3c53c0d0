import { ControlPlaneSpans, tracingMetrics } from '../../addons/tracing/index.ts';
import type { AddressGuard } from '../../outgoing/index.ts';
import type { Core } from '../control-plane/index.ts';
import { buildSpanExporter } from './span-exporter.ts';

/** Makes spans of what the control plane does, where the configuration names a receiver. The result sends those that wait. */
export function buildTracing(core: Core, guard: AddressGuard): () => Promise<void> {
  const { config, metrics, traced } = core;
  const exporter = buildSpanExporter(core, {
    section: 'tracing',
    component: 'tracing',
    scope: 'gatewright.control_plane',
    guard,
    onResult: tracingMetrics(metrics.set).spans,
  });
  if (!exporter) return async () => {};
  traced.tracer = new ControlPlaneSpans({ exporter, samplingPercent: config.tracing.samplingPercent });
  return async () => {
    traced.tracer = undefined;
    await exporter.stop();
  };
}
