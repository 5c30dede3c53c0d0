import type { Edge, Marking } from '../engine/index.ts';
import { httpFilterKeysOf } from '../filters/index.ts';
import { parentEdges } from '../gateways/index.ts';
import type { HttpRouteObject, RouteObject } from '../model/index.ts';
import { rulesOf } from './rule.ts';
import { backendRefsOf } from './rule-references.ts';

const plain = (key: string): string => key;

const markRoute = (route: string, { dirty }: Marking): void => {
  dirty.routes.add(route);
};

/** What routes refer to. All kinds of route share these edges, and with them their indexes; sources are routeKeys. */
export const routeEdges = {
  ...parentEdges,
  /** By key alone, for what is of the same name and another kind matters to few routes. */
  backend: {
    to: { Service: plain, ServiceImport: plain, XBackend: plain, InferencePool: plain, AIService: plain },
    targets: (route) => {
      const own = route.metadata.namespace ?? '';
      return rulesOf(route)
        .flatMap(backendRefsOf)
        .map(({ namespace = own, name }) => `${namespace}/${name}`);
    },
    grants: true,
    marks: markRoute,
  },
  /** The module of Namespaces marks them, after checking whether any listener admits routes by labels. */
  namespace: {
    to: { Namespace: plain },
    targets: ({ metadata }) => [metadata.namespace ?? ''],
    marks: 'nothing',
  },
} as const satisfies Record<string, Edge<RouteObject['kind']>>;

/** What routes with filters refer to besides. */
export const filterEdges = {
  filter: {
    to: { HTTPFilter: plain },
    targets: (route) => rulesOf(route).flatMap((rule) => httpFilterKeysOf(rule, route.metadata.namespace ?? '')),
    marks: markRoute,
  },
} as const satisfies Record<string, Edge<HttpRouteObject['kind']>>;

/** The routes that name an HTTPFilter. */
export const routesOfFilter = (filter: string, { edges }: Pick<Marking, 'edges'>): Iterable<string> =>
  edges.of(filterEdges.filter).sourcesOf(filter);

/** Marks the routes that name a Service, an XBackend, an InferencePool or an AIService. */
export function markRoutesTo(backend: string, { dirty, edges }: Marking): void {
  for (const route of edges.of(routeEdges.backend).sourcesOf(backend)) dirty.routes.add(route);
}
