import * as z from 'zod';
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

export const metricsConfig = object(config);
export const changedMetricsConfig = object({ ...config, test: settingsTest });

export const readyQueries = z.array(
  object({
    id: z.string(),
    title: z.string(),
    query: z.string(),
    unit: z.string(),
    labels: z.array(z.string()),
    from: z.enum(['agents', 'control-plane']),
  }),
);
