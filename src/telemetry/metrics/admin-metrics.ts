import { Histogram, type Registry } from '@prometheus-io/client';
import { durationBuckets, prefix } from './names.ts';

/** One answered request. `route` is the pattern that matched, never the path that was asked for. */
export interface AdminRequest {
  readonly app: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** What the admin API tells. */
export interface AdminMetrics {
  request(request: AdminRequest): void;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Latency of the admin API. */
export function createAdminMetrics(registry: Registry): AdminMetrics {
  const duration = new Histogram({
    name: `${prefix}gateway_admin_request_duration_seconds`,
    help: 'How long an admin request takes.',
    labelNames: ['app', 'method', 'route', 'code'],
    buckets: durationBuckets,
    registers: [registry],
  });
  return {
    request: ({ app, method, route, status, seconds }) =>
      duration.observe({ app, method: knownMethods.has(method) ? method : 'other', route, code: status }, seconds),
  };
}
