import { Router } from '@koa/router';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { ManifestReader } from '../../sources/index.ts';
import { createHttpApp, type ObserveOptions } from '../http/index.ts';
import { layout1Probes } from '../probes/index.ts';
import { withReader } from '../resource/read-body.ts';

export interface Layout1Options {
  /** Reads bodies that are long. */
  readonly reader: ManifestReader;
  readonly observe: Omit<ObserveOptions, 'app'>;
  /** What a request has to pass before anything is answered; `openPaths` are probes, which always may. */
  readonly doors: (openPaths: ReadonlySet<string>) => readonly Middleware[];
  /** Adds what is answered. */
  readonly mount: (router: Router) => void;
}

/** Layout 1 of the contract: paths under `/v1`, fields in camelCase. */
export function createLayout1({ reader, observe, doors, mount }: Layout1Options): Koa {
  const router = new Router();
  router.use(withReader(reader));
  mount(router);
  return createHttpApp({ ...observe, app: 'layout1' }, router, doors(layout1Probes));
}
