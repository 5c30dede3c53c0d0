import type { MetricSet } from '../../telemetry/index.ts';

/** One answered request. `route` is the pattern that matched, never the path that was asked for. */
export interface AdminRequest {
  readonly app: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The same with what is of this one request alone, and so in no metric. */
export interface AnsweredRequest extends AdminRequest {
  /** Without the query. */
  readonly path: string;
  readonly requestId: string;
  /** W3C Trace Context; undefined: it came with none. */
  readonly traceparent: string | undefined;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Latency of the admin API. */
export function adminMetrics(metrics: MetricSet) {
  const duration = metrics.histogram('gateway_admin_request_duration_seconds', {
    help: 'Duration of admin API requests.',
    labels: ['app', 'method', 'route', 'code'],
  });
  return {
    request: ({ app, method, route, status, seconds }: AdminRequest) =>
      duration.observe({ app, method: knownMethods.has(method) ? method : 'other', route, code: status }, seconds),
  };
}
