/** PromQL for the admin API: a Prometheus that somebody configured, asked by the rules for calls to such servers. */
export { type Envelope, envelope } from './envelope.ts';
export {
  MetricsBackend,
  type MetricsBackendOptions,
  type MetricsConfig,
  type SettingsTest,
} from './metrics-backend.ts';
export { MetricsError, MetricsSettingsError } from './metrics-error.ts';
export { type InstantQuestion, instantQuestion, type RangeQuestion, rangeQuestion } from './questions.ts';
export { type ReadyQuery, readyQueries } from './ready-queries.ts';
export { type MetricsSettingsBody, metricsSettingsBody } from './settings.ts';
