import type Koa from 'koa';
import type { AdminAuthConfig } from '../config/index.ts';
import type { GraphView } from '../graph/index.ts';
import { componentLogger, type Logger, type Metrics } from '../telemetry/index.ts';
import type { NodesView } from '../xds/index.ts';
import { bearerAuth } from './auth/bearer-auth.ts';
import { createTokenSource } from './auth/token-source.ts';
import { createLayout1 } from './layout1/app.ts';
import { createLayout2 } from './layout2/app.ts';
import { createMetricsApp } from './metrics-app.ts';
import type { Leadership, Readiness, World } from './read-model/index.ts';
import { mountResources, type ResourceStore } from './resources/index.ts';

export interface AdminOptions {
  readonly graph: GraphView;
  readonly nodes: NodesView;
  readonly metrics: Pick<Metrics, 'admin' | 'text' | 'contentType'>;
  readonly config: { readonly adminAuth: AdminAuthConfig; readonly controllerName: string };
  readonly readiness: () => Readiness;
  readonly leadership: () => Leadership;
  /** Of this program. */
  readonly version: string;
  readonly logger: Logger;
  readonly now?: () => Date;
  /** Where managed resources are kept; without it there are none. */
  readonly resources?: ResourceStore | undefined;
}

/** The three HTTP faces of the control plane, each for a listener of its own. */
export interface Admin {
  readonly layout1: Koa;
  readonly layout2: Koa;
  readonly metrics: Koa;
}

/**
 * The admin API over read-only views; it keeps nothing between requests, and changes nothing but managed resources, which
 * come back through the source as any other change does. Throws a ConfigError when the token file cannot be read.
 */
export function createAdmin(options: AdminOptions): Admin {
  const { graph, nodes, metrics, config, readiness, leadership, version, now = () => new Date() } = options;
  const { controllerName, adminAuth } = config;
  const logger = componentLogger(options.logger, 'admin');
  const world: World = { graph, nodes, leadership, controllerName, now, version };
  const observe = { logger, onRequest: metrics.admin.request };
  const token = createTokenSource(adminAuth, logger);
  const authenticate = (openPaths: ReadonlySet<string>) => bearerAuth(token, openPaths);
  const isProtected = (app: AdminAuthConfig['protect'][number]): boolean => adminAuth.protect.includes(app);
  const store = options.resources;
  const open = adminAuth.bearerToken === undefined && adminAuth.bearerTokenFile === undefined;
  return {
    layout1: createLayout1({
      world,
      readiness,
      authenticate,
      observe,
      mount: (router, tag) => store && mountResources(router, tag, { store, graph, logger, open }),
    }),
    layout2: createLayout2({ world, metrics, readiness, observe, ...(isProtected('layout2') && { authenticate }) }),
    metrics: createMetricsApp(metrics, observe, isProtected('metrics') ? [authenticate(new Set())] : []),
  };
}
