import { Router } from '@koa/router';
import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import { createHttpApp, entityTag, readQuery } from '../../admin/index.ts';
import type { Logger, MetricsText } from '../../telemetry/index.ts';
import type { Relay, Upstream } from '../relay/index.ts';
import type { AgentState } from '../state.ts';
import { configVersionRecord, type Identity, statusRecord, xdsStatusRecord } from './records.ts';

export interface AgentAdminOptions {
  readonly identity: Identity;
  readonly relay: Relay;
  readonly upstream: Upstream;
  readonly metrics: MetricsText;
  readonly observe: () => Promise<AgentState>;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** The agent's admin API: Layout 2 of the contract on the data plane. Everything is GET; probes answer in plain text. */
export function createAgentAdmin(options: AgentAdminOptions): Koa {
  const { identity, relay, upstream, metrics, observe, now, logger } = options;
  const router = new Router();
  router.get('/healthz', (ctx) => {
    ctx.body = 'ok';
  });
  router.get('/readyz', async (ctx) => {
    const { reason } = await observe();
    ctx.status = reason === undefined ? 200 : 503;
    ctx.body = reason === undefined ? 'ready' : `not ready: ${reason}`;
  });
  const tag = entityTag(() => relay.applied?.id);
  const show = (path: string, read: () => unknown) => router.get(path, tag, answer(read));
  show('/api/v1/status', async () => statusRecord(identity, relay, await observe(), now()));
  show('/api/v1/config/version', () => configVersionRecord(relay));
  show('/api/v1/xds/status', () => xdsStatusRecord(identity, relay, upstream));
  router.get('/api/v1/metrics', async (ctx) => {
    ctx.set('Content-Type', metrics.contentType);
    ctx.body = await metrics.text();
  });
  return createHttpApp({ app: 'dataplane', logger }, router);
}

/** Answers with a record; none of them takes a query. */
const answer =
  (read: () => unknown): Middleware =>
  async (ctx: Context) => {
    readQuery(ctx, []);
    ctx.body = await read();
  };
