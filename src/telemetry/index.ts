/** Logger and metrics. Imports nothing of ours. */
export { LevelSwitch, type LogLevel } from './level-switch.ts';
export { componentLogger, createLogger, type Logger, type LoggerOptions } from './logger.ts';
export { type MetricFacts, MetricSet, type MetricsText } from './metrics/metric-set.ts';
export { typeLabel } from './metrics/names.ts';
export type { HistogramReading, Observed } from './metrics/observed.ts';
