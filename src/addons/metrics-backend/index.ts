/** PromQL for the admin API: queries to a configured Prometheus, by the rules for calls to such servers. */
export { envelope } from './envelope.ts';
export { MetricsBackend } from './metrics-backend.ts';
export { MetricsError, MetricsSettingsError } from './metrics-error.ts';
export { instantQuestion, rangeQuestion } from './questions.ts';
export { type ReadyQuery, readyQueries } from './ready-queries.ts';
export { metricsSettingsBody } from './settings.ts';
