import { Router } from '@koa/router';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import { createHttpApp, type ObserveOptions } from '../http/index.ts';
import { whyNotReady } from '../probes/index.ts';
import { bind } from '../resource/endpoint.ts';
import { type Gates, mount } from '../resource/mount.ts';
import { type Layout2Sources, layout2 } from './index.ts';

export interface Layout2Options {
  readonly sources: Layout2Sources;
  readonly gates: Gates;
  readonly observe: Omit<ObserveOptions, 'app'>;
  /** What a request has to pass before anything is answered; `openPaths` are probes, which always may. */
  readonly doors: (openPaths: ReadonlySet<string>) => readonly Middleware[];
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Layout 2 of the contract on the control plane: paths under `/api/v1`, fields in snake_case; probes answer in plain text. */
export function createLayout2({ sources, gates, observe, doors }: Layout2Options): Koa {
  const router = new Router();
  router.get('/readyz', (ctx) => {
    const reason = whyNotReady(sources);
    ctx.status = reason === undefined ? 200 : 503;
    ctx.body = reason === undefined ? 'ready' : `not ready: ${reason}`;
  });
  mount(router, bind(layout2, sources), gates);
  return createHttpApp({ ...observe, app: 'layout2' }, router, doors(probes));
}
