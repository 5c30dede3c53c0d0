import { allParents, ingressNameOf, objectKey } from '../../gateway-api/index.ts';
import type { ObjectReference } from '../../graph/index.ts';
import { inTurns } from '../../std/steps/index.ts';
import { flag, HttpError, invalidQuery, oneOf } from '../http/index.ts';
import { findListeners } from '../listeners/listener-record.ts';
import type { Params } from '../resource/endpoint.ts';
import { resource, type View } from '../resource/resource.ts';
import { lazily } from '../resource/shown.ts';
import type { AdminSources } from '../sources.ts';
import { columnsOf, containsText, routeColumnView, routeStates, stateOf } from './column-view.ts';
import { groupedRoutes, type RouteRecord, route } from './record.ts';
import { findRouteKind, type RouteKind, routeKinds } from './route-kinds.ts';
import {
  findRoute,
  hostnamesOf,
  listRoutes,
  parentsOf,
  type RouteObject,
  refersToGateway,
  routeRecord,
} from './route-record.ts';

/** `grouped` by kind instead of flat, or in `columns`. */
const views: View<AdminSources, RouteObject, RouteRecord> = {
  query: { view: '`flat`, `grouped` by kind, or in `columns`, which is a tenth of the bytes' },
  answer: route.array().or(groupedRoutes).or(routeColumnView),
  show(page, toRecord, query, sources) {
    const view = oneOf('view', query.get('view') ?? 'flat', ['flat', 'grouped', 'columns']);
    if (view === 'flat') return lazily(page, toRecord);
    if (view === 'columns') return inTurns(columnsOf(page, tagOfRoutes(sources), sources));
    const byKind = Map.groupBy(page, ({ kind }) => kind);
    return Object.fromEntries(routeKinds.map(({ group, kind }) => [group, lazily(byKind.get(kind) ?? [], toRecord)]));
  },
};

/**
 * `/v1/routes` and one of them. `kind` is the Kubernetes kind, or `Ingress` for those that Ingresses became; `gateway` is `NAMESPACE/NAME` or `NAME` of a Gateway that the route is for,
 * itself or by way of a ListenerSet.
 */
export const routes = resource({
  path: '/v1/routes',
  summary: 'Routes of every kind',
  record: route,
  view: views,
  revision: tagOfRoutes,
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
      ingress:
        (value) =>
        ({ metadata: { name } }) =>
          ingressNameOf(name) === value,
      kind: (value) => {
        if (value.toLowerCase() === 'ingress') return ({ metadata: { name } }) => ingressNameOf(name) !== undefined;
        const wanted = kindOfQuery(value);
        return ({ kind }) => kind === wanted;
      },
      listener: (value, { graph }) => {
        const attached = new Set(findListeners(graph.listeners(), value).flatMap(({ routes }) => routes.map(placeOf)));
        return ({ kind, metadata: { namespace = '', name } }) => attached.has(placeOf({ kind, namespace, name }));
      },
      q: containsText,
      state: (value, sources) => {
        const wanted = oneOf('state', value, routeStates);
        return (object) => stateOf(object, sources) === wanted;
      },
      accepted: (value, sources) => {
        const wanted = flag('accepted', value);
        return (object) => allParents(parentsOf(object, sources), 'Accepted') === wanted;
      },
    },
    sorts: {
      namespace: ({ metadata, kind }) => [metadata.namespace, metadata.name, kind].join('\u0000'),
      name: ({ metadata }) => metadata.name,
      kind: ({ kind }) => kind,
      createdAt: ({ metadata }) => timeOf(metadata.creationTimestamp),
      generation: ({ metadata }) => metadata.generation ?? 0,
      state: { lookUp: (sources) => (object) => -routeStates.indexOf(stateOf(object, sources)) },
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

const placeOf = ({ kind, namespace, name }: ObjectReference): string => [kind, namespace, name].join('/');

/** Which routes there are, what is said of them, and by which listeners and sets they reach Gateways. */
function tagOfRoutes({ tagOf }: AdminSources): string {
  return tagOf('Gateway', 'ListenerSet', ...routeKinds.map(({ kind }) => kind));
}

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
