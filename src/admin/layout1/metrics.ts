import type { Router, RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import {
  instantQuestion,
  type MetricsBackend,
  metricsSettingsBody,
  rangeQuestion,
  readyQueries,
} from '../../addons/metrics-backend/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { audit } from '../auth/audit.ts';
import { readQuery } from '../http/index.ts';
import { parseBody, readBodyText, readObject } from '../resource/read-body.ts';
import { whileAsked } from '../resource/while-asked.ts';
import { mapped } from './service-errors.ts';

export interface MetricsOptions {
  readonly backend: MetricsBackend;
  readonly logger: Logger;
  /** Goes before writes. */
  readonly guard: Middleware;
}

/** Adds `/v1/metrics/…` to the router of Layout 1. `tag` goes around reads. */
export function mountMetrics(router: Router, tag: Middleware, { backend, logger, guard }: MetricsOptions): void {
  router.get('/v1/metrics/config', tag, mapped, async (ctx) => {
    readQuery(ctx, []);
    ctx.body = await backend.config();
  });
  router.put('/v1/metrics/config', audit(logger), mapped, guard, readBodyText, async (ctx) => {
    readQuery(ctx, []);
    ctx.body = await backend.change(parseBody(metricsSettingsBody, await readObject(ctx), 'settings_invalid'));
  });
  router.get('/v1/metrics/queries', tag, (ctx) => {
    readQuery(ctx, []);
    ctx.body = readyQueries;
  });
  router.post('/v1/metrics/query', mapped, readBodyText, async (ctx: RouterContext) => {
    readQuery(ctx, []);
    const question = parseBody(instantQuestion, await readObject(ctx), 'body_malformed');
    ctx.body = await whileAsked(ctx, (signal) => backend.query(question, signal));
  });
  router.post('/v1/metrics/query_range', mapped, readBodyText, async (ctx: RouterContext) => {
    readQuery(ctx, []);
    const question = parseBody(rangeQuestion, await readObject(ctx), 'body_malformed');
    ctx.body = await whileAsked(ctx, (signal) => backend.queryRange(question, signal));
  });
}
