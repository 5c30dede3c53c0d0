import type { RouterContext } from '@koa/router';
import { objectKey } from '../../gateway-api/index.ts';
import { HttpError, LazyList, listPage, oneOf } from '../http/index.ts';
import { type Endpoint, type Params, single } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { routeList } from './list.ts';
import { findRouteKind, routeKinds } from './route-kinds.ts';
import { findRoute, listRoutes, type RouteObject, type RouteRecord, routeRecord } from './route-record.ts';

const views = ['flat', 'grouped'] as const;

/** `/v1/routes`, flat or grouped by kind, and one of them. */
export const routeEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  {
    path: '/v1/routes',
    handle: (ctx: RouterContext) => {
      const page = listPage(ctx, listRoutes(sources.graph), { ...routeList(sources.graph), others: ['view'] });
      const view = oneOf('view', new URLSearchParams(ctx.querystring).get('view') ?? 'flat', views);
      ctx.body = view === 'flat' ? shown(page, sources) : grouped(page, sources);
    },
  },
  single('/v1/routes/:kind/:namespace/:name', (params) => getRoute(params, sources)),
];

function getRoute({ kind: word = '', namespace = '', name = '' }: Params, sources: AdminSources): RouteRecord {
  const kind = findRouteKind(word);
  if (kind === undefined) throw new HttpError('route_kind_unknown', `${word} is no kind of route`);
  const route = findRoute(sources.graph, kind, objectKey(namespace, name));
  if (route === undefined) throw new HttpError('route_not_found', `there is no ${kind} ${namespace}/${name}`);
  return routeRecord(route, sources);
}

const shown = (routes: readonly RouteObject[], sources: AdminSources) =>
  new LazyList(routes, (route) => routeRecord(route, sources));

const grouped = (routes: readonly RouteObject[], sources: AdminSources) => {
  const byKind = Map.groupBy(routes, ({ kind }) => kind);
  return Object.fromEntries(routeKinds.map(({ group, kind }) => [group, shown(byKind.get(kind) ?? [], sources)]));
};
