/** Logger and metrics. Imports nothing of ours. */
export { LevelSwitch, type LogLevel } from './level-switch.ts';
export { componentLogger, createLogger, type Logger, type LoggerOptions } from './logger.ts';
export type { AdminMetrics, AdminRequest } from './metrics/admin-metrics.ts';
export type { AiMetrics, AiOperation } from './metrics/ai-metrics.ts';
export type { BuildMetrics } from './metrics/build-metrics.ts';
export type { ClusterMetrics } from './metrics/cluster-metrics.ts';
export { createMetrics, type Metrics, type MetricsText } from './metrics/metrics.ts';
export type { WorldFigures } from './metrics/world-metrics.ts';
export { type StreamEndReason, streamEndReasons, type XdsMetrics } from './metrics/xds-metrics.ts';
