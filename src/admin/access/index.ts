import { objectKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { inTurns, type Steps } from '../../std/steps/index.ts';
import { HttpError, invalidQuery, oneOf } from '../http/index.ts';
import type { Endpoints } from '../resource/endpoint.ts';
import { list } from '../resource/resource.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import { findRoute } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';
import { placeText, policyEntries, routeEntries } from './entries.ts';
import { listenerEntries } from './listener-entries.ts';
import { type OpenRoute, openRoute, openRoutes } from './open-routes.ts';
import { type AccessEntry, accessEntry } from './record.ts';
import { partsOfTarget } from './target-name.ts';

/** `/v1/access`: which policies of access are in force for a route, or where a policy is. It looks at what is asked for alone. */
export const access: Endpoints<AdminSources> = {
  endpoints: [
    list({
      path: '/v1/access',
      summary:
        'Which policies of access are in force: for a route, at the listeners of a Gateway or ListenerSet, or of a policy; name one of them, or none for all policies',
      record: accessEntry,
      errors: ['route_not_found', 'resource_not_found'],
      entries: (sources: AdminSources, query) => entriesOf(sources, query),
      filters: {
        route: () => () => true,
        target: () => () => true,
        policy: () => () => true,
        namespace:
          (value) =>
          ({ policy }) =>
            policy.namespace === value,
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

/** What may be asked about: at most one of them. */
const subjects = {
  route: ofRoute,
  target: ofTarget,
  policy: ofPolicy,
} as const;

async function entriesOf({ graph }: AdminSources, query: ReadonlyMap<string, string>): Promise<readonly AccessEntry[]> {
  const asked = Object.entries(subjects).flatMap(([name, find]) => {
    const value = query.get(name);
    return value === undefined ? [] : [{ name, value, find }];
  });
  const [first, second] = asked;
  if (second)
    throw invalidQuery(second.name, `known without ${first?.name} only: name one route, one target or one policy`);
  return first ? first.find(graph, first.value) : await inTurns(ofAll(graph));
}

function* ofAll(graph: GraphView): Steps<AccessEntry[]> {
  const found: AccessEntry[] = [];
  for (const policy of graph.list('AccessPolicy')) {
    found.push(...policyEntries(graph, policy));
    yield;
  }
  return found;
}

function ofPolicy(graph: GraphView, policy: string): readonly AccessEntry[] {
  const [, namespace = '', name = ''] = /^([^/]+)\/([^/]+)$/.exec(policy) ?? [];
  const found = graph.find('AccessPolicy', objectKey(namespace, name));
  if (!found) throw new HttpError('resource_not_found', `there is no AccessPolicy ${policy}: write NAMESPACE/NAME`);
  return policyEntries(graph, found);
}

function ofRoute(graph: GraphView, route: string): readonly AccessEntry[] {
  const [word, namespace, name] = partsOfTarget(route);
  const kind = findRouteKind(word);
  const found = kind && findRoute(graph, kind, objectKey(namespace, name));
  if (!found) throw new HttpError('route_not_found', `there is no route ${route}: write KIND/NAMESPACE/NAME`);
  return routeEntries(graph, found);
}

function ofTarget(graph: GraphView, target: string): readonly AccessEntry[] {
  const [word, namespace, name] = partsOfTarget(target);
  const kind = (['Gateway', 'ListenerSet'] as const).find((each) => each.toLowerCase() === word.toLowerCase());
  if (!kind) return ofRoute(graph, target);
  const key = objectKey(namespace, name);
  if (!graph.find(kind, key)) throw new HttpError('resource_not_found', `there is no ${kind} ${namespace}/${name}`);
  return listenerEntries(graph, kind, key);
}
