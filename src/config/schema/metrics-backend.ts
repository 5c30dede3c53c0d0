import * as z from 'zod';
import { text } from './leaf.ts';
import { hasOneAuthorization, serverAccess, severalAuthorizations } from './server-access.ts';

/** Where PromQL queries of the admin API are answered, until somebody sets it there. */
export const metricsBackend = z
  .strictObject({
    prometheusUrl: text('a URL such as "http://prometheus.monitoring.svc:9090"')
      .optional()
      .describe('A Prometheus, or what speaks its HTTP API. What is set by `PUT /v1/metrics/config` takes its place.'),
    ...serverAccess({
      variable: 'PROMETHEUS_AUTHORIZATION',
      header: 'asked with, such as `Bearer TOKEN`',
      readAgain: 'for each query',
    }),
  })
  .refine(hasOneAuthorization, severalAuthorizations)
  .prefault({})
  .describe('Where PromQL queries of the admin API are answered.');
