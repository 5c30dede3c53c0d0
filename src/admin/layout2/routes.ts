import type { RouterContext } from '@koa/router';
import { objectKey } from '../../gateway-api/index.ts';
import { HttpError, invalidQuery, LazyList, readQuery } from '../http/index.ts';
import { type Endpoint, list } from '../resource/endpoint.ts';
import { routeList } from '../routes/list.ts';
import { findRouteKind, type RouteKind, routeKinds } from '../routes/route-kinds.ts';
import { findRoute, listRoutes, routeRecord } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';
import { snakeKeys } from './snake-case.ts';
import { snakeSorts } from './snake-sorts.ts';

/** `/api/v1/routes` and those of one namespace and name: the one, or an array when kinds share the name. */
export const routeEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  list('/api/v1/routes', snakeSorts(routeList(sources.graph)), {
    entries: () => listRoutes(sources.graph),
    present: (page) => new LazyList(page, (route) => snakeKeys(routeRecord(route, sources))),
  }),
  {
    path: '/api/v1/routes/:namespace/:name',
    handle: (ctx: RouterContext) => {
      const key = objectKey(ctx.params.namespace, ctx.params.name ?? '');
      const found = kindsAskedFor(readQuery(ctx, ['kind']).get('kind')).flatMap(
        (kind) => findRoute(sources.graph, kind, key) ?? [],
      );
      if (found.length === 0) throw new HttpError('route_not_found', `there is no route ${key}`);
      const shown = found.map((route) => snakeKeys(routeRecord(route, sources)));
      ctx.body = shown.length === 1 ? shown[0] : shown;
    },
  },
];

function kindsAskedFor(word: string | undefined): readonly RouteKind[] {
  if (word === undefined) return routeKinds.map(({ kind }) => kind);
  const kind = findRouteKind(word);
  if (kind === undefined)
    throw invalidQuery('kind', `expected one of ${routeKinds.map((known) => known.kind).join(', ')}`);
  return [kind];
}
