import type { OtlpSpan } from '../../envoy/index.ts';
import { readTraceparent } from '../../spans/index.ts';
import { Trace } from './trace.ts';

/** A request of the admin API that was answered. */
export interface Answered {
  /** Which listener, such as `layout1`. */
  readonly app: string;
  readonly method: string;
  /** The pattern that matched. */
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly seconds: number;
  readonly requestId: string;
  /** W3C Trace Context; undefined: it came with none. */
  readonly traceparent: string | undefined;
}

/** Asked every few seconds by what watches the process: they would be most of the spans. */
const probes: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz', '/metrics']);
const mostPath = 256;

/**
 * The span of a request. Undefined: its trace is not recorded, or nothing of ours was asked for, so that a stranger who knocks makes none.
 * Source: OpenTelemetry, semantic conventions for HTTP server spans. A query is in none: it may hold what is secret.
 */
export function requestSpan(request: Answered, samplingPercent: number): OtlpSpan | undefined {
  const { app, method, route, path, status, seconds, requestId } = request;
  if (route === 'unmatched' || probes.has(route)) return undefined;
  const trace = Trace.begin(samplingPercent, readTraceparent(request.traceparent));
  const now = performance.now();
  return trace?.root({
    name: `${method} ${route}`,
    kind: 'server',
    from: now - seconds * 1000,
    to: now,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.path': path.slice(0, mostPath),
      'http.response.status_code': status,
      'gatewright.listener': app,
      'gatewright.request_id': requestId,
      ...(status >= 500 && { 'error.type': String(status) }),
    },
    ...(status >= 500 && { error: '' }),
  });
}
