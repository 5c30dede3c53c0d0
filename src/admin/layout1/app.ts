import { Router } from '@koa/router';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { ManifestReader } from '../../sources/index.ts';
import type { EventLog } from '../events/index.ts';
import { createHttpApp, entityTag, HttpError, type ObserveOptions } from '../http/index.ts';
import type { ReplicaFeed } from '../replicas/index.ts';
import { withReader } from '../resource/read-body.ts';
import type { AdminSources, Readiness } from '../sources.ts';
import { layout1Endpoints } from './endpoints.ts';

export interface Layout1Options {
  readonly sources: AdminSources;
  readonly events: EventLog;
  /** What other control planes follow. */
  readonly feed: ReplicaFeed;
  readonly readiness: () => Readiness;
  /** Reads bodies that are long. */
  readonly reader: ManifestReader;
  /** Let requests through that may come in, or throw; `openPaths` are probes, which always may. */
  readonly doors: (openPaths: ReadonlySet<string>) => readonly Middleware[];
  readonly observe: Omit<ObserveOptions, 'app'>;
  /** What a request has to pass before that; `openPaths` are probes. */
  readonly guards: (openPaths: ReadonlySet<string>) => readonly Middleware[];
  /** Adds what is more than reading; `tag` is what goes around reads. */
  readonly mount?: (router: Router, tag: Middleware) => void;
}

const probes: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Layout 1 of the contract: paths under `/v1`, fields in camelCase. */
export function createLayout1(options: Layout1Options): Koa {
  const { sources, events, feed, readiness, doors, observe, guards, mount } = options;
  const router = new Router();
  router.use(withReader(options.reader));
  router.get('/livez', (ctx) => {
    ctx.body = { status: 'alive' };
  });
  router.get('/readyz', (ctx) => {
    const { ready, reason = 'the first full list of resources is not in yet' } = readiness();
    if (!ready) throw new HttpError('not_ready', reason);
    ctx.body = { status: 'ready' };
  });
  const tag = entityTag(() => sources.graph.snapshot()?.id);
  for (const { method = 'get', path, handle } of layout1Endpoints(sources, events, feed))
    router[method](path, tag, handle);
  mount?.(router, tag);
  return createHttpApp({ ...observe, app: 'layout1' }, router, [...guards(probes), ...doors(probes)]);
}
