import { Readable } from 'node:stream';
import { Router } from '@koa/router';
import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import {
  createHttpApp,
  entityTag,
  flag,
  HttpError,
  hostGuard,
  invalidQuery,
  listPage,
  readQuery,
  redactedJson,
} from '../../admin/http/index.ts';
import type { SecretText } from '../../config/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { DnsGuard } from '../dns/index.ts';
import { type EnvoyAdmin, EnvoyQueryError } from '../envoy/envoy-admin.ts';
import type { AgentAdminAuth } from '../options.ts';
import type { Relay, Upstream } from '../relay/index.ts';
import type { AgentState } from '../state.ts';
import { backendHealthList, backendsRecord } from './backends.ts';
import { configRecord } from './config.ts';
import { ConnectionRate, connectionFilter, connectionsRecord, totalConnections } from './connections.ts';
import type { AgentMetrics } from './metrics.ts';
import { namesRecord } from './names.ts';
import { configVersionRecord, type Identity, statusRecord, xdsStatusRecord } from './records.ts';
import { reportAuth } from './report-auth.ts';
import { trafficFilter, trafficRecord } from './traffic.ts';

export interface AgentAdminOptions {
  readonly identity: Identity;
  readonly relay: Relay;
  readonly upstream: Upstream;
  readonly envoy: EnvoyAdmin;
  readonly names: Pick<DnsGuard, 'asked' | 'failed' | 'rejections'>;
  readonly metrics: AgentMetrics;
  readonly observe: () => Promise<AgentState>;
  readonly now: () => Date;
  /** What the control plane shows. */
  readonly reportToken: SecretText;
  readonly adminAuth: AgentAdminAuth;
  readonly logger: Logger;
}

/** The agent's admin API: Layout 2 of the contract on the data plane. Everything is GET; probes answer in plain text. */
export function createAgentAdmin(options: AgentAdminOptions): Koa {
  const { identity, relay, upstream, envoy, metrics, names, observe, now, logger } = options;
  const router = new Router();
  router.get('/healthz', (ctx) => {
    ctx.body = 'ok';
  });
  router.get('/readyz', async (ctx) => {
    const { reason, faults } = await observe();
    ctx.status = reason === undefined ? 200 : 503;
    ctx.body = [
      reason === undefined ? 'ready' : `not ready: ${reason}`,
      ...faults.filter(({ blocking }) => !blocking).map(({ message }) => `warning: ${message}`),
    ].join('\n');
  });
  const tag = entityTag(() => relay.applied?.id);
  const show = (path: string, read: () => unknown) => router.get(path, tag, answer(read));
  show('/api/v1/status', async () => statusRecord(identity, relay, await observe(), now()));
  show('/api/v1/config/version', () => configVersionRecord(relay));
  router.get('/api/v1/config', tag, async (ctx) => {
    const raw = flag('raw', readQuery(ctx, ['raw']).get('raw') ?? 'false');
    const dump = await asked(envoy.configDump({ endpoints: raw }));
    if (!raw) {
      ctx.body = await asked(configRecord(dump, relay.applied));
      return;
    }
    ctx.type = 'application/json';
    ctx.body = Readable.from(redactedJson(dump), { objectMode: false });
  });
  router.get('/api/v1/stats', tag, async (ctx) => {
    const filter = readQuery(ctx, ['filter']).get('filter');
    ctx.body = { ...trafficRecord(await asked(envoy.stats(trafficFilter))), ...(await filtered(envoy, filter)) };
  });
  const connections = new ConnectionRate({ total: () => totalConnections(envoy), now });
  show('/api/v1/stats/connections', async () =>
    connectionsRecord(await asked(envoy.stats(connectionFilter)), await asked(connections.perSecond())),
  );
  router.get('/api/v1/stats/backends', tag, async (ctx) => {
    ctx.body = await listPage(ctx, backendsRecord(await asked(envoy.clusters())), backendHealthList);
  });
  show('/api/v1/stats/names', () => namesRecord(names));
  show('/api/v1/xds/status', async () => xdsStatusRecord(identity, relay, upstream, await observe()));
  router.get(metricsPath, async (ctx) => {
    ctx.set('Content-Type', metrics.contentType);
    ctx.body = ctx.method === 'HEAD' ? await metrics.own() : Readable.from(metrics.all(), { objectMode: false });
  });
  return createHttpApp({ app: 'dataplane', logger }, router, doors(options));
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
const metricsPath = '/api/v1/metrics';

function doors({ reportToken: own, adminAuth }: AgentAdminOptions): Middleware[] {
  const { tokens = [], allowedHosts: allowed, protectMetrics = false } = adminAuth;
  const openPaths = protectMetrics ? probes : new Set([...probes, metricsPath]);
  return [reportAuth({ own, tokens, openPaths }), hostGuard({ allowed, openPaths: probes })];
}

/** Answers with a record; such a one takes no query. */
const answer =
  (read: () => unknown): Middleware =>
  async (ctx: Context) => {
    readQuery(ctx, []);
    ctx.body = await read();
  };

/** Envoy's answer; a 503 when there is none. An answer to the client passes as it is. */
const asked = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    if (error instanceof HttpError) throw error;
    throw new HttpError('envoy_unavailable', error instanceof Error ? error.message : String(error));
  });

/** The statistics of Envoy itself that were asked for by a regular expression. */
async function filtered(envoy: EnvoyAdmin, filter: string | undefined) {
  if (filter === undefined) return {};
  if (filter === '' || filter.length > 200)
    throw invalidQuery('filter', 'expected a regular expression of up to 200 characters');
  // Envoy reads the expression, so what is wrong with it is for Envoy to say.
  const stats = envoy.stats(filter).catch((error: unknown) => {
    throw error instanceof EnvoyQueryError ? invalidQuery('filter', error.message) : error;
  });
  const { values } = await asked(stats);
  return { envoy: Object.fromEntries([...values].sort(([a], [b]) => (a < b ? -1 : 1))) };
}
