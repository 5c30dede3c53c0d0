import { objectKey } from '../../gateway-api/index.ts';
import { HttpError, invalidQuery, oneOf } from '../http/index.ts';
import type { Params } from '../resource/endpoint.ts';
import { resource, type View } from '../resource/resource.ts';
import { lazily } from '../resource/shown.ts';
import type { AdminSources } from '../sources.ts';
import { groupedRoutes, type RouteRecord, route } from './record.ts';
import { findRouteKind, type RouteKind, routeKinds } from './route-kinds.ts';
import { findRoute, hostnamesOf, listRoutes, type RouteObject, refersToGateway, routeRecord } from './route-record.ts';

/** `grouped` by kind instead of flat. */
const grouped: View<RouteObject, RouteRecord> = {
  query: { view: '`flat`, or `grouped` by kind' },
  answer: route.array().or(groupedRoutes),
  show(page, toRecord, query) {
    const view = oneOf('view', query.get('view') ?? 'flat', ['flat', 'grouped']);
    if (view === 'flat') return lazily(page, toRecord);
    const byKind = Map.groupBy(page, ({ kind }) => kind);
    return Object.fromEntries(routeKinds.map(({ group, kind }) => [group, lazily(byKind.get(kind) ?? [], toRecord)]));
  },
};

/**
 * `/v1/routes` and one of them. `kind` is the Kubernetes kind; `gateway` is `NAMESPACE/NAME` or `NAME` of a Gateway that the route is for,
 * itself or by way of a ListenerSet.
 */
export const routes = resource({
  path: '/v1/routes',
  summary: 'Routes of every kind',
  record: route,
  view: grouped,
  list: {
    entries: ({ graph }: AdminSources) => listRoutes(graph),
    filters: {
      namespace:
        (value) =>
        ({ metadata }) =>
          metadata.namespace === value,
      name:
        (value) =>
        ({ metadata }) =>
          metadata.name === value,
      hostname: (value) => (object) => hostnamesOf(object).includes(value),
      gateway:
        (value, { graph }) =>
        (object) =>
          refersToGateway(object, value, graph),
      kind: (value) => {
        const wanted = kindOfQuery(value);
        return ({ kind }) => kind === wanted;
      },
    },
    sorts: {
      namespace: ({ metadata, kind }) => [metadata.namespace, metadata.name, kind].join('\u0000'),
      name: ({ metadata }) => metadata.name,
      kind: ({ kind }) => kind,
      createdAt: ({ metadata }) => timeOf(metadata.creationTimestamp),
      generation: ({ metadata }) => metadata.generation ?? 0,
    },
  },
  one: {
    at: '/:kind/:namespace/:name',
    summary: 'One route',
    errors: ['route_kind_unknown', 'route_not_found'],
    find: getRoute,
  },
  present: (sources) => (object) => routeRecord(object, sources),
});

/** The kind that a query's value means. Throws a 400 that lists the kinds. */
export function kindOfQuery(word: string): RouteKind {
  const kind = findRouteKind(word);
  if (kind === undefined)
    throw invalidQuery('kind', `expected one of ${routeKinds.map((known) => known.kind).join(', ')}`);
  return kind;
}

function getRoute(
  { kind: word, namespace, name }: Params<'/:kind/:namespace/:name'>,
  { graph }: AdminSources,
): RouteObject {
  const kind = findRouteKind(word);
  if (kind === undefined) throw new HttpError('route_kind_unknown', `${word} is no kind of route`);
  const found = findRoute(graph, kind, objectKey(namespace, name));
  if (found === undefined) throw new HttpError('route_not_found', `there is no ${kind} ${namespace}/${name}`);
  return found;
}

const timeOf = (text: string | undefined): number => (text === undefined ? 0 : Date.parse(text));
