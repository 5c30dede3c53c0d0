import * as z from 'zod';

/** What Prometheus answers, and we pass on. Source: Prometheus, "HTTP API", Format overview. */
export const envelope = z
  .looseObject({
    status: z.enum(['success', 'error']),
    data: z.looseObject({ resultType: z.string(), result: z.unknown() }).optional(),
    errorType: z.string().optional(),
    error: z.string().optional(),
    warnings: z.array(z.string()).optional(),
    infos: z.array(z.string()).optional(),
  })
  .meta({ id: 'PrometheusAnswer', description: 'What Prometheus answers, in its own form.' });

export type Envelope = z.infer<typeof envelope>;

/** What is answered while there is no backend. */
export const nothingKnown = (resultType: 'vector' | 'matrix'): Envelope => ({
  status: 'success',
  data: { resultType, result: [] },
  warnings: ['no metrics backend is configured: set prometheusUrl with PUT /v1/metrics/config'],
});
