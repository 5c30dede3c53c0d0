import * as z from 'zod';
import { counted } from '../../../std/index.ts';
import { tool } from './tool.ts';

const dayMs = 86_400_000;
const maxPoints = 1000;

interface EnvelopeAnswer {
  readonly data?: { readonly resultType: string; readonly result: readonly unknown[] };
  readonly warnings?: readonly string[];
}

export const metricsQueryTool = tool({
  name: 'metrics_query',
  title: 'PromQL',
  description:
    'Asks the configured Prometheus: an instant query, or a range of at most 24 hours and 1,000 points when start, end and step are given. Metrics of Envoy (envoy_http_downstream_rq_xx, envoy_cluster_upstream_rq_xx, …) and of the control plane (gatewright_…). ready_queries lists good ones.',
  input: z.strictObject({
    query: z.string().min(1).max(4096).describe('PromQL'),
    start: z.iso.datetime({ offset: true }).optional(),
    end: z.iso.datetime({ offset: true }).optional(),
    stepSeconds: z
      .number()
      .min(1)
      .max(dayMs / 1000)
      .optional(),
  }),
  async run({ query, start, end, stepSeconds }, { ask }) {
    const isRange = start !== undefined || end !== undefined || stepSeconds !== undefined;
    const fault = isRange ? rangeFault(start, end, stepSeconds) : undefined;
    if (fault !== undefined) throw new RangeError(fault);
    const question = isRange
      ? {
          path: '/v1/metrics/query_range',
          body: { query, start, end, step: `${Math.round((stepSeconds ?? 0) * 1000)}ms` },
        }
      : { path: '/v1/metrics/query', body: { query } };
    const value = (await ask({ method: 'POST', ...question })).body as EnvelopeAnswer;
    const [warning] = value.warnings ?? [];
    return { summary: warning ?? counted(value.data?.result.length ?? 0, 'series', 'series'), value };
  },
});

function rangeFault(start: string | undefined, end: string | undefined, step: number | undefined): string | undefined {
  if (start === undefined || end === undefined || step === undefined) return 'a range needs start, end and stepSeconds';
  const ms = Date.parse(end) - Date.parse(start);
  if (ms < 0) return 'end is before start';
  if (ms > dayMs) return 'the range is longer than 24 hours';
  return ms / 1000 / step > maxPoints ? `there would be more than ${maxPoints} points: take a longer step` : undefined;
}

export const readyQueriesTool = tool({
  name: 'ready_queries',
  title: 'PromQL that is known to be useful',
  description: 'Queries for metrics_query about traffic, errors, latency, backends, proxies and the control plane.',
  input: z.strictObject({}),
  async run(_, { ask }) {
    const value = (await ask({ method: 'GET', path: '/v1/metrics/queries' })).body as readonly unknown[];
    return { summary: counted(value.length, 'query', 'queries'), value };
  },
});
