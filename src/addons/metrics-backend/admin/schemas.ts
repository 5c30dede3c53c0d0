import * as z from 'zod';
import { named } from '../../../admin/index.ts';
import { settingsTest } from '../../settings/admin/index.ts';

const object = z.strictObject;

const config = {
  configured: z.boolean(),
  prometheusUrl: z.string(),
  authorization: z.string().describe('Masked'),
  authorizationSet: z.boolean(),
  tls: object({ caCertificate: z.string(), serverName: z.string(), insecureSkipVerify: z.boolean() }),
  origin: z.enum(['none', 'configuration', 'settings']),
  place: z.string().describe('Where settings are kept'),
};

export const metricsConfig = named('MetricsConfig', 'Settings of the metrics backend.', config);
export const changedMetricsConfig = named(
  'ChangedMetricsConfig',
  'Settings of the metrics backend after a change, and whether it answers.',
  { ...config, test: settingsTest },
);

export const readyQueries = z.array(
  named('ReadyQuery', 'A query that works with the metrics of Gatewright.', {
    id: z.string(),
    title: z.string(),
    query: z.string(),
    unit: z.string(),
    labels: z.array(z.string()),
    from: z.enum(['agents', 'control-plane']),
  }),
);
