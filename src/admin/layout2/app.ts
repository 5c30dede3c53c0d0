import { Router } from '@koa/router';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { MetricsText } from '../../telemetry/index.ts';
import { createHttpApp, entityTag, type ObserveOptions } from '../http/index.ts';
import { showMetrics } from '../metrics-app.ts';
import type { AdminSources, Readiness } from '../sources.ts';
import { layout2Endpoints } from './endpoints.ts';

export interface Layout2Options {
  readonly sources: AdminSources;
  readonly metrics: MetricsText;
  readonly readiness: () => Readiness;
  /** Let requests through that may come in, or throw; `openPaths` are probes, which always may. */
  readonly doors: (openPaths: ReadonlySet<string>) => readonly Middleware[];
  readonly observe: Omit<ObserveOptions, 'app'>;
  /** What a request has to pass before that. */
  readonly guards?: readonly Middleware[];
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Layout 2 of the contract on the control plane: paths under `/api/v1`, fields in snake_case; probes answer in plain text. */
export function createLayout2(options: Layout2Options): Koa {
  const { sources, metrics, readiness, doors, observe, guards = [] } = options;
  const router = new Router();
  router.get('/healthz', (ctx) => {
    ctx.body = 'ok';
  });
  router.get('/readyz', (ctx) => {
    const { ready, reason = 'the first full list of resources is not in yet' } = readiness();
    ctx.status = ready ? 200 : 503;
    ctx.body = ready ? 'ready' : `not ready: ${reason}`;
  });
  router.get('/api/v1/metrics', showMetrics(metrics));
  const tag = entityTag(() => sources.graph.snapshot()?.id);
  for (const { method = 'get', path, handle } of layout2Endpoints(sources)) router[method](path, tag, handle);
  return createHttpApp({ ...observe, app: 'layout2' }, router, [...guards, ...doors(probes)]);
}
