import { objectKey } from '../../gateway-api/index.ts';
import { HttpError } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import { kindOfQuery, routes } from '../routes/index.ts';
import { type RouteKind, routeKinds } from '../routes/route-kinds.ts';
import { findRoute, type RouteObject, routeRecord } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';
import { layout2Tag, listOf } from './list.ts';
import { route } from './schemas.ts';
import { snakeKeys } from './snake-case.ts';

const shown = (object: RouteObject, sources: AdminSources) => snakeKeys(routeRecord(object, sources));

/** `/api/v1/routes` and those of one namespace and name: the one, or an array when kinds share the name. */
export const layout2Routes: Endpoints<AdminSources> = {
  endpoints: [
    listOf(routes.list, {
      path: '/api/v1/routes',
      summary: 'Routes of every kind',
      record: route,
      present: (sources) => (object) => shown(object, sources),
    }),
    get({
      path: '/api/v1/routes/:namespace/:name',
      tag: layout2Tag,
      summary: 'One route; an array where several kinds share the name',
      answer: route.or(route.array()),
      query: { kind: 'Only the route of this kind' },
      needsSync: true,
      errors: ['query_invalid', 'route_not_found'],
      handle({ params, query }, sources: AdminSources) {
        const key = objectKey(params.namespace, params.name);
        const found = kindsOf(query.get('kind')).flatMap((kind) => findRoute(sources.graph, kind, key) ?? []);
        const [first, ...others] = found.map((object) => shown(object, sources));
        if (first === undefined) throw new HttpError('route_not_found', `there is no route ${key}`);
        return others.length === 0 ? first : [first, ...others];
      },
    }),
  ],
};

const kindsOf = (word: string | undefined): readonly RouteKind[] =>
  word === undefined ? routeKinds.map(({ kind }) => kind) : [kindOfQuery(word)];
