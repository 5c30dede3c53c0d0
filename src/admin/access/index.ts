import { objectKey } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { HttpError, invalidQuery, oneOf } from '../http/index.ts';
import type { Endpoints } from '../resource/endpoint.ts';
import { list } from '../resource/resource.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import { findRoute } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';
import { placeText, policyEntries, routeEntries } from './entries.ts';
import { type OpenRoute, openRoute, openRoutes } from './open-routes.ts';
import { type AccessEntry, accessEntry } from './record.ts';

/** `/v1/access`: which policies of access are in force for a route, or where a policy is. It looks at what is asked for alone. */
export const access: Endpoints<AdminSources> = {
  endpoints: [
    list({
      path: '/v1/access',
      summary: 'Which policies of access are in force for a route, or where a policy is; name one of both',
      record: accessEntry,
      errors: ['route_not_found', 'resource_not_found'],
      entries: (sources: AdminSources, query) => entriesOf(sources, query),
      filters: {
        route: () => () => true,
        policy: () => () => true,
        gateway:
          (value) =>
          ({ gateway }) =>
            gateway !== null && (value === gateway.name || value === `${gateway.namespace}/${gateway.name}`),
        part: (value) => {
          const wanted = oneOf('part', value, ir.accessParts);
          return ({ part }) => part === wanted;
        },
        level: (value) => {
          const wanted = oneOf('level', value, ir.accessLevels);
          return ({ level }) => level === wanted;
        },
        state:
          (value) =>
          ({ state }) =>
            state === value,
      },
      sorts: { place: placeText },
      present: () => (entry: AccessEntry) => entry,
    }),
    list({
      path: '/v1/access/open',
      summary: 'Routes of which some rules demand no login; looks at every route',
      record: openRoute,
      entries: openRoutes,
      filters: {
        namespace:
          (value) =>
          ({ namespace }) =>
            namespace === value,
      },
      sorts: { namespace: ({ kind, namespace, name }) => [namespace, name, kind].join('\0') },
      present: () => (entry: OpenRoute) => entry,
    }),
  ],
};

function entriesOf({ graph }: AdminSources, query: ReadonlyMap<string, string>): readonly AccessEntry[] {
  const [route, policy] = [query.get('route'), query.get('policy')];
  if ((route === undefined) === (policy === undefined))
    throw invalidQuery('route', 'name one route as KIND/NAMESPACE/NAME, or one policy as NAMESPACE/NAME');
  if (policy !== undefined) {
    const [, namespace = '', name = ''] = /^([^/]+)\/([^/]+)$/.exec(policy) ?? [];
    const found = graph.find('AccessPolicy', objectKey(namespace, name));
    if (!found) throw new HttpError('resource_not_found', `there is no AccessPolicy ${policy}`);
    return policyEntries(graph, found);
  }
  const [, word = '', namespace = '', name = ''] = /^([^/]+)\/([^/]+)\/([^/]+)$/.exec(route ?? '') ?? [];
  const kind = findRouteKind(word);
  const found = kind && findRoute(graph, kind, objectKey(namespace, name));
  if (!found) throw new HttpError('route_not_found', `there is no route ${route}`);
  return routeEntries(graph, found);
}
