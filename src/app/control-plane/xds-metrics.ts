import type { Metrics } from '../../telemetry/index.ts';
import type { XdsMetrics } from '../../xds/index.ts';

/** The xDS server's counts as Prometheus metrics. */
export const xdsMetricsOf = (metrics: Metrics['xds']): XdsMetrics => ({
  streamOpened: () => metrics.streamOpened(),
  streamClosed: (reason) => metrics.streamEnded(reason),
  connectionRefused: () => metrics.connectionRefused(),
  pushed: ({ typeUrl, bytes }) => metrics.pushed(typeUrl, bytes),
  answered: ({ typeUrl, status, ms }) =>
    status === 'ACK' ? metrics.acknowledged(ms / 1000) : metrics.rejected(typeUrl),
});
