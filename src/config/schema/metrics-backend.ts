import * as z from 'zod';
import { text } from './leaf.ts';
import { hasOneAuthorization, serverAccess, severalAuthorizations } from './server-access.ts';

/** Where PromQL queries of the admin API are answered, until it is set there. */
export const metricsBackend = z
  .strictObject({
    prometheusUrl: text('a URL such as "http://prometheus.monitoring.svc:9090"')
      .optional()
      .describe('URL of a Prometheus, or of a server with its HTTP API. `PUT /v1/metrics/config` overrides it.'),
    ...serverAccess({
      variable: 'PROMETHEUS_AUTHORIZATION',
      header: 'queries, such as `Bearer TOKEN`',
      readAgain: 'for each query',
    }),
  })
  .refine(hasOneAuthorization, severalAuthorizations)
  .prefault({})
  .describe('The server that answers PromQL queries of the admin API.');
