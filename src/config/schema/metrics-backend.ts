import * as z from 'zod';
import { SecretText } from '../secret-text.ts';
import { flag, text } from './leaf.ts';

/** Where PromQL queries of the admin API are answered, until somebody sets it there. */
export const metricsBackend = z
  .strictObject({
    prometheusUrl: text('a URL such as "http://prometheus.monitoring.svc:9090"')
      .optional()
      .describe('A Prometheus, or what speaks its HTTP API. What is set by `PUT /v1/metrics/config` takes its place.'),
    authorization: text(`an Authorization header, best written as "\${PROMETHEUS_AUTHORIZATION}"`)
      .transform((value) => new SecretText(value))
      .meta({ type: 'string' })
      .optional()
      .describe(
        'The `Authorization` header it is asked with, such as `Bearer TOKEN`. Name an environment variable here.',
      ),
    authorizationFile: text('the path of a file that holds the header')
      .optional()
      .describe('A file that holds that header, such as a mounted Secret; read again for each query.'),
    caFile: text('the path of a PEM file')
      .optional()
      .describe('Authorities of its certificate in PEM; those of the system by default.'),
    serverName: text('a host name').optional().describe('Name in its certificate, when it is not the URL’s host.'),
    insecureSkipVerify: flag().prefault(false).describe('Takes any certificate.'),
  })
  .refine(({ authorization, authorizationFile }) => authorization === undefined || authorizationFile === undefined, {
    error: 'one of authorization and authorizationFile: remove the other',
  })
  .prefault({})
  .describe('Where PromQL queries of the admin API are answered.');
