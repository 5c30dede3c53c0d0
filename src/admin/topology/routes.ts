import { allParents, ingressNameOf, keyOf, type Status } from '../../gateway-api/index.ts';
import { pushTo } from '../../std/index.ts';
import { listRoutes, parentsOf, type RouteObject } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';
import { isPortless, type KnownBackends, type PortlessKind } from './backends.ts';
import { statusOfWorst } from './judge.ts';
import { ids, type TopologyParts } from './parts.ts';
import type { TopologyEdge, TopologyNode, TopologyStatus } from './record.ts';

/** What one route adds, and what that was made of. */
export interface RoutePart {
  readonly id: string;
  readonly desired: Status | undefined;
  readonly listeners: readonly string[];
  /** In the order of its references. */
  readonly uses: readonly Use[];
  readonly node: TopologyNode;
  readonly edges: readonly TopologyEdge[];
}

export type RouteParts = ReadonlyMap<RouteObject, RoutePart>;

/** Routes with where they are attached and where they forward to; one step each. What is as it was in `former` is taken from there. */
export function* addRoutes(
  parts: TopologyParts,
  sources: AdminSources,
  backends: KnownBackends,
  former: RouteParts = new Map(),
): Generator<undefined, RouteParts> {
  const listenersOf = indexListeners(sources);
  const made = new Map<RouteObject, RoutePart>();
  for (const route of listRoutes(sources.graph)) {
    const known = former.get(route);
    const id = known?.id ?? idOf(route);
    const desired = sources.graph.statusOf(route.kind, keyOf(route));
    const listeners = listenersOf(id);
    const isKept =
      known !== undefined &&
      known.desired === desired &&
      isSame(known.listeners, listeners) &&
      areAsBefore(known, backends);
    const part = isKept ? known : makePart({ id, route, desired, listeners }, sources, backends);
    made.set(route, part);
    parts.nodes.set(id, part.node);
    for (const edge of part.edges) parts.edges.push(edge);
    for (const use of part.uses) if (!use.isKnown) addMissing(parts, use, route);
    yield;
  }
  return made;
}

const idOf = ({ kind, metadata: { namespace = '', name } }: RouteObject): string =>
  ids.route({ kind, namespace, name });

const isSame = (before: readonly string[], after: readonly string[]): boolean =>
  before.length === after.length && before.every((each, at) => each === after[at]);

const areAsBefore = ({ id, uses }: RoutePart, backends: KnownBackends): boolean =>
  uses.every(({ wanted, target, status }) => {
    const found = findUse(wanted, id, backends);
    return found.target === target && found.status === status;
  });

interface Given extends Pick<RoutePart, 'id' | 'desired' | 'listeners'> {
  readonly route: RouteObject;
}

function makePart({ id, route, desired, listeners }: Given, sources: AdminSources, backends: KnownBackends): RoutePart {
  const { name, namespace = '' } = route.metadata;
  const { status, detail } = judged(route, sources);
  const uses = usesOf(id, route, backends);
  const attached = listeners.map(
    (target): TopologyEdge => ({ source: id, target, type: 'attach', weight: null, status }),
  );
  const node = { id, type: 'route', label: labelOf(name), namespace, name, status, detail } as const;
  return { id, desired, listeners, uses, node, edges: [...attached, ...forwards(id, uses)] };
}

/** What is made of an Ingress goes by the Ingress. */
const labelOf = (name: string): string => {
  const ingress = ingressNameOf(name);
  return ingress === undefined ? name : `Ingress ${ingress}`;
};

const nowhere: readonly string[] = [];

function indexListeners({ graph }: AdminSources): (route: string) => readonly string[] {
  const index = new Map<string, string[]>();
  for (const { name, routes } of graph.listeners()) {
    for (const route of routes) pushTo(index, ids.route(route), ids.listener(name));
  }
  return (route) => index.get(route) ?? nowhere;
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

/** What a reference looks for: portOfBackend of a Service, or for kinds that `isPortless` kind and `NAMESPACE/NAME` beside. */
interface Wanted {
  readonly port: string;
  readonly kind?: PortlessKind;
  readonly key: string;
}

interface Found {
  readonly target: string;
  readonly status: TopologyStatus;
  /** Whether there is a backend that it finds. */
  readonly isKnown: boolean;
}

/** One reference of a route to a backend. */
interface Use extends Found {
  readonly type: 'forward' | 'mirror';
  readonly ref: BackendRef;
  readonly wanted: Wanted;
}

function usesOf(id: string, route: RouteObject, backends: KnownBackends): Use[] {
  const uses: Use[] = [];
  const add = (type: Use['type'], ref: BackendRef) => {
    const wanted = wantedBy(ref, route);
    uses.push({ type, ref, wanted, ...findUse(wanted, id, backends) });
  };
  for (const { backendRefs = [], filters = [] } of (route.spec.rules ?? []) as readonly Rule[]) {
    for (const ref of backendRefs) add('forward', ref);
    for (const { requestMirror } of filters) if (requestMirror) add('mirror', requestMirror.backendRef);
  }
  return uses;
}

/** `route`: id of the one that asks. */
function findUse({ port, kind, key }: Wanted, route: string, backends: KnownBackends): Found {
  const known = kind === undefined ? backends.ofService(port) : backends.ofName(kind, key);
  const status = known?.routes.has(route) ? known.status : 'failed';
  return { target: known?.id ?? ids.backend(port), status, isKnown: known !== undefined };
}

/** One edge for each backend and way of using it, however many rules do. */
function forwards(source: string, uses: readonly Use[]): readonly TopologyEdge[] {
  const edges = new Map<string, TopologyEdge>();
  for (const { type, ref, target, status } of uses) {
    const before = edges.get(`${type} ${target}`);
    const weight = type === 'mirror' ? null : (before?.weight ?? 0) + (ref.weight ?? 1);
    edges.set(`${type} ${target}`, { source, target, type, weight, status });
  }
  return [...edges.values()];
}

const namespaceOf = (ref: BackendRef, route: RouteObject): string => ref.namespace ?? route.metadata.namespace ?? '';

function wantedBy(ref: BackendRef, route: RouteObject): Wanted {
  const namespace = namespaceOf(ref, route);
  const port = [namespace, ref.name, ref.port ?? 0, ...(route.kind === 'UDPRoute' ? ['udp'] : [])].join('/');
  return { port, ...(isPortless(ref.kind) && { kind: ref.kind }), key: `${namespace}/${ref.name}` };
}

function addMissing({ nodes }: TopologyParts, { target: id, ref }: Use, route: RouteObject): void {
  const name = ref.port === undefined ? ref.name : `${ref.name}:${ref.port}`;
  const detail = `${route.kind} ${keyOf(route)} refers to it, and it does not resolve`;
  const namespace = namespaceOf(ref, route);
  nodes.set(id, { id, type: 'backend', label: name, namespace, name, status: 'failed', detail });
}
