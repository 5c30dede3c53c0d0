import { allParents, keyOf } from '../../gateway-api/index.ts';
import { listRoutes, parentsOf, type RouteObject } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';
import { isPortless, type KnownBackend, type KnownBackends } from './backends.ts';
import { statusOfWorst } from './judge.ts';
import { ids, type TopologyParts } from './parts.ts';
import type { TopologyEdge, TopologyStatus } from './record.ts';

/** Routes with where they are attached and where they forward to; one step each. */
export function* addRoutes(
  parts: TopologyParts,
  sources: AdminSources,
  backends: KnownBackends,
): Generator<undefined, void> {
  const listenersOf = indexListeners(sources);
  for (const route of listRoutes(sources.graph)) {
    const id = ids.route({ kind: route.kind, namespace: route.metadata.namespace ?? '', name: route.metadata.name });
    const { status, detail } = judged(route, sources);
    const { name, namespace = '' } = route.metadata;
    parts.nodes.set(id, { id, type: 'route', label: name, namespace, name, status, detail });
    for (const target of listenersOf(id))
      parts.edges.push({ source: id, target, type: 'attach', weight: null, status });
    addForwards(parts, { id, route, backends });
    yield;
  }
}

function indexListeners({ graph }: AdminSources): (route: string) => readonly string[] {
  const index = new Map<string, string[]>();
  for (const { name, routes } of graph.listeners()) {
    for (const route of routes) {
      const id = ids.route(route);
      const known = index.get(id);
      if (known === undefined) index.set(id, [ids.listener(name)]);
      else known.push(ids.listener(name));
    }
  }
  return (route) => index.get(route) ?? [];
}

function judged(
  route: RouteObject,
  sources: AdminSources,
): { readonly status: TopologyStatus; readonly detail: string } {
  const parents = parentsOf(route, sources);
  if (parents.length === 0) return { status: 'unknown', detail: 'no Gateway of ours is its parent' };
  const { status, detail } = statusOfWorst(parents.flatMap(({ conditions }) => conditions));
  if (!allParents(parents, 'Accepted')) return { status: 'failed', detail };
  return { status: allParents(parents, 'ResolvedRefs') || status === 'failed' ? status : 'degraded', detail };
}

/** What all kinds of route have in common where they name backends. */
interface BackendRef {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly port?: number;
  readonly weight?: number;
}

interface Rule {
  readonly backendRefs?: readonly BackendRef[];
  readonly filters?: readonly { readonly requestMirror?: { readonly backendRef: BackendRef } }[];
}

interface Forwarding {
  /** Of the route. */
  readonly id: string;
  readonly route: RouteObject;
  readonly backends: KnownBackends;
}

/** One edge for each backend and way of using it, however many rules do. */
function addForwards(parts: TopologyParts, { id, route, backends }: Forwarding): void {
  const edges = new Map<string, TopologyEdge>();
  const add = (type: 'forward' | 'mirror', ref: BackendRef) => {
    const known = findBackend(ref, route, backends);
    const port = known?.port ?? wantedPort(ref, route);
    const target = ids.backend(port);
    if (known === undefined) addMissing(parts, target, ref, route);
    const before = edges.get(`${type} ${target}`);
    const weight = type === 'mirror' ? null : (before?.weight ?? 0) + (ref.weight ?? 1);
    const status = known?.routes.has(id) ? known.status : 'failed';
    edges.set(`${type} ${target}`, { source: id, target, type, weight, status });
  };
  for (const { backendRefs = [], filters = [] } of (route.spec.rules ?? []) as readonly Rule[]) {
    for (const ref of backendRefs) add('forward', ref);
    for (const { requestMirror } of filters) if (requestMirror) add('mirror', requestMirror.backendRef);
  }
  parts.edges.push(...edges.values());
}

function findBackend(ref: BackendRef, route: RouteObject, backends: KnownBackends): KnownBackend | undefined {
  if (!isPortless(ref.kind)) return backends.ofService(wantedPort(ref, route));
  return backends.ofName(ref.kind, `${namespaceOf(ref, route)}/${ref.name}`);
}

const namespaceOf = (ref: BackendRef, route: RouteObject): string => ref.namespace ?? route.metadata.namespace ?? '';

/** portOfBackend of what the reference asks for, where that is a Service. */
const wantedPort = (ref: BackendRef, route: RouteObject): string =>
  [namespaceOf(ref, route), ref.name, ref.port ?? 0, ...(route.kind === 'UDPRoute' ? ['udp'] : [])].join('/');

function addMissing({ nodes }: TopologyParts, id: string, ref: BackendRef, route: RouteObject): void {
  const name = ref.port === undefined ? ref.name : `${ref.name}:${ref.port}`;
  const detail = `${route.kind} ${keyOf(route)} refers to it, and it does not resolve`;
  const namespace = namespaceOf(ref, route);
  nodes.set(id, { id, type: 'backend', label: name, namespace, name, status: 'failed', detail });
}
