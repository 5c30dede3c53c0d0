import { Router } from '@koa/router';
import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import type { MetricsText } from '../telemetry/index.ts';
import { createHttpApp, type ObserveOptions } from './http/index.ts';

/** Answers with the Prometheus text exposition. */
export const showMetrics = (metrics: MetricsText) => async (ctx: Context) => {
  ctx.set('Content-Type', metrics.contentType);
  ctx.body = await metrics.text();
};

/** The metrics listener: `/metrics` and nothing else. */
export function createMetricsApp(
  metrics: MetricsText,
  observe: Omit<ObserveOptions, 'app'>,
  guards: readonly Middleware[],
): Koa {
  const router = new Router();
  router.get('/metrics', showMetrics(metrics));
  return createHttpApp({ ...observe, app: 'metrics' }, router, guards);
}
