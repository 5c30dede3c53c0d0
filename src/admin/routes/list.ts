import type { GraphView } from '../../graph/index.ts';
import { invalidQuery, type ListSpec } from '../http/index.ts';
import { findRouteKind, routeKinds } from './route-kinds.ts';
import { hostnamesOf, type RouteObject, refersToGateway } from './route-record.ts';

const timeOf = (text: string | undefined): number => (text === undefined ? 0 : Date.parse(text));

/**
 * How lists of routes are narrowed and ordered. `kind` is the Kubernetes kind; `gateway` is `NAMESPACE/NAME` or `NAME` of a Gateway that
 * the route is for, itself or by way of a ListenerSet.
 */
export const routeList = (graph: Pick<GraphView, 'find'>): ListSpec<RouteObject> => ({
  filters: {
    namespace: (value) => (route) => route.metadata.namespace === value,
    name: (value) => (route) => route.metadata.name === value,
    hostname: (value) => (route) => hostnamesOf(route).includes(value),
    gateway: (value) => (route) => refersToGateway(route, value, graph),
    kind: (value) => {
      const kind = findRouteKind(value);
      const kinds = routeKinds.map((known) => known.kind).join(', ');
      if (kind === undefined) throw invalidQuery('kind', `expected one of ${kinds}`);
      return (route) => route.kind === kind;
    },
  },
  sorts: {
    namespace: ({ metadata, kind }) => [metadata.namespace, metadata.name, kind].join('\u0000'),
    name: ({ metadata }) => metadata.name,
    kind: ({ kind }) => kind,
    createdAt: ({ metadata }) => timeOf(metadata.creationTimestamp),
    generation: ({ metadata }) => metadata.generation ?? 0,
  },
});

/** Its names, for whoever only describes it. */
export const routeListNames = routeList({ find: () => undefined });
