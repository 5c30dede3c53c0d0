import {
  allParents,
  ingressNameOf,
  isRouteKind,
  keyOf,
  kinds,
  type ObjectByKind,
  type RouteKindName,
  type RouteParentStatus,
} from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { timeTextOrNull } from '../resource/leaves.ts';
import type { AdminSources } from '../sources.ts';
import type { RouteRecord } from './record.ts';
import type { RouteKind } from './route-kinds.ts';

/** A route as it is stored, of any kind that is read. */
export type RouteObject = ObjectByKind[RouteKindName];

const readKinds: readonly RouteKindName[] = Object.keys(kinds).filter(isRouteKind);

type RouteSources = Pick<AdminSources, 'graph' | 'controllerName'>;

/** Every stored route; the order is not resolved. */
export function* listRoutes(graph: GraphView): Generator<RouteObject> {
  for (const kind of readKinds) yield* graph.list(kind);
}

/** The route of this kind, where the kind is read. */
export const findRoute = (graph: GraphView, kind: RouteKind, key: string): RouteObject | undefined =>
  isRouteKind(kind) ? graph.find(kind, key) : undefined;

/** How many routes of a kind are stored. */
export const countRoutes = (graph: GraphView, kind: RouteKind): number => (isRouteKind(kind) ? graph.count(kind) : 0);

/** Empty for a kind of route that has none. */
export const hostnamesOf = ({ spec }: RouteObject): readonly string[] =>
  ('hostnames' in spec ? spec.hostnames : undefined) ?? [];

export function routeRecord(route: RouteObject, sources: RouteSources): RouteRecord {
  const parents = parentsOf(route, sources);
  const { creationTimestamp, generation, name, namespace } = route.metadata;
  return {
    kind: route.kind,
    namespace: namespace ?? '',
    name,
    ingress: ingressNameOf(name) ?? null,
    hostnames: hostnamesOf(route),
    parentRefs: route.spec.parentRefs ?? [],
    rules: route.spec.rules ?? [],
    parents,
    accepted: allParents(parents, 'Accepted'),
    resolvedRefs: allParents(parents, 'ResolvedRefs'),
    createdAt: timeTextOrNull(creationTimestamp === undefined ? undefined : new Date(creationTimestamp)),
    generation: generation ?? null,
  };
}

/** Our own entries as they are desired now, then those that other controllers wrote. */
export function parentsOf(route: RouteObject, { graph, controllerName }: RouteSources): RouteParentStatus[] {
  const status = graph.statusOf(route.kind, keyOf(route));
  const ours = status !== undefined && 'parents' in status ? status.parents : [];
  const stored = (route.status?.parents ?? []) as readonly RouteParentStatus[];
  const others = stored.filter((parent) => parent.controllerName !== controllerName);
  return others.length === 0 ? [...ours] : [...ours, ...others.map(withoutTimes)];
}

const withoutTimes = ({ parentRef, controllerName, conditions = [] }: Partial<RouteParentStatus>): RouteParentStatus =>
  ({
    parentRef,
    controllerName,
    conditions: conditions.map(({ type, status, reason, message, observedGeneration }) => ({
      type,
      status,
      reason,
      message,
      observedGeneration,
    })),
  }) as RouteParentStatus;

/** Whether a parentRef of the route names this Gateway, given as `NAMESPACE/NAME` or `NAME`, or a ListenerSet of it. */
export const refersToGateway = (route: RouteObject, gateway: string, graph: Pick<GraphView, 'find'>): boolean =>
  (route.spec.parentRefs ?? []).some(({ kind = 'Gateway', namespace = route.metadata.namespace, name }) => {
    if (kind === 'Gateway') return isNamed(gateway, namespace, name);
    const parent =
      kind === 'ListenerSet' ? graph.find('ListenerSet', `${namespace}/${name}`)?.spec.parentRef : undefined;
    return parent !== undefined && isNamed(gateway, parent.namespace ?? namespace, parent.name);
  });

const isNamed = (gateway: string, namespace: string | undefined, name: string): boolean =>
  gateway === name || gateway === `${namespace}/${name}`;
