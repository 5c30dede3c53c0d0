import type { Addon } from '../../../admin/index.ts';
import {
  bind,
  bodyErrors,
  type Endpoint,
  get,
  HttpError,
  parseBody,
  question,
  readObject,
  whileAsked,
} from '../../../admin/index.ts';
import { settingsEndpoints, settingsError, settingsErrors } from '../../settings/admin/index.ts';
import {
  envelope,
  instantQuestion,
  type MetricsBackend,
  MetricsError,
  MetricsSettingsError,
  metricsSettingsBody,
  rangeQuestion,
  readyQueries,
} from '../index.ts';
import * as schemas from './schemas.ts';

/** What PromQL is answered by. */
export interface MetricsSources {
  readonly metricsBackend: MetricsBackend;
}

const tag = 'Metrics backend';
const queryErrors = [
  ...bodyErrors,
  ...settingsErrors,
  'metrics_backend_failed',
  'metrics_backend_busy',
  'metrics_backend_timeout',
  'promql_rejected',
] as const;

/** `/v1/metrics/…` */
export const metricsEndpoints: readonly Endpoint<MetricsSources>[] = [
  ...settingsEndpoints({
    path: '/v1/metrics/config',
    tag,
    summaries: {
      get: 'Where PromQL queries are answered; credentials masked',
      put: 'Sets that, and says whether the backend answers; a masked or absent credential stays as it is',
    },
    config: schemas.metricsConfig,
    changed: schemas.changedMetricsConfig,
    body: metricsSettingsBody,
    errorOf: metricsError,
    of: ({ metricsBackend }: MetricsSources) => metricsBackend,
  }),
  get({
    path: '/v1/metrics/queries',
    tag,
    summary: 'Queries that a dashboard can use as they are',
    answer: schemas.readyQueries,
    handle: () => readyQueries,
  }),
  question({
    path: '/v1/metrics/query',
    tag,
    summary: 'An instant query, answered in Prometheus’ own words; changes nothing, and the read-only token may ask',
    body: instantQuestion,
    answer: envelope,
    errors: queryErrors,
    errorOf: metricsError,
    async handle({ ctx }, { metricsBackend }: MetricsSources) {
      const asked = parseBody(instantQuestion, await readObject(ctx), 'body_malformed');
      return await whileAsked(ctx, (signal) => metricsBackend.query(asked, signal));
    },
  }),
  question({
    path: '/v1/metrics/query_range',
    tag,
    summary: 'A query over time; as above',
    body: rangeQuestion,
    answer: envelope,
    errors: queryErrors,
    errorOf: metricsError,
    async handle({ ctx }, { metricsBackend }: MetricsSources) {
      const asked = parseBody(rangeQuestion, await readObject(ctx), 'body_malformed');
      return await whileAsked(ctx, (signal) => metricsBackend.queryRange(asked, signal));
    },
  }),
];

const codes = {
  invalid: 'promql_rejected',
  failed: 'metrics_backend_failed',
  timeout: 'metrics_backend_timeout',
  busy: 'metrics_backend_busy',
} as const;

/** What a failure of the backend or of its settings means to a client; anything else stays as it is. */
function metricsError(caught: unknown): unknown {
  if (caught instanceof MetricsSettingsError)
    return new HttpError('settings_invalid', caught.message, { details: caught.details });
  if (!(caught instanceof MetricsError)) return settingsError(caught);
  const headers: Record<string, string> = caught.code === 'busy' ? { 'Retry-After': '1' } : {};
  return new HttpError(codes[caught.code], caught.message, { headers });
}

/** PromQL, and where it is answered. */
export const metricsAddon = (metricsBackend: MetricsBackend): Addon => ({
  endpoints: bind(metricsEndpoints, { metricsBackend }),
  capabilities: async () => ({ metrics: await metricsBackend.isConfigured().catch(() => false), settings: true }),
});
