import { objectKey, type RouteKindName } from '../gateway-api/index.ts';
import type { GraphView } from '../graph/index.ts';
import { type Fleet, parseRouteId } from '../ir/index.ts';
import { type Subject, unknownRoute } from './subjects.ts';

/** What of a gateway's proxies a report may speak of. */
type Names = Pick<Subject, 'listener' | 'route' | 'backend'>;

const routeKinds: Readonly<Record<string, RouteKindName>> = { httproute: 'HTTPRoute', grpcroute: 'GRPCRoute' };

/** Kind, namespace and name of a rule's route, as `KIND/NAMESPACE/NAME/rule/NUMBER` has them; undefined for what is none. */
export function parseRule(
  rule: string,
):
  | { readonly kind: RouteKindName; readonly namespace: string; readonly name: string; readonly rule: number }
  | undefined {
  const { kind: word, namespace, name, rule: number } = parseRouteId(rule);
  const kind = Object.hasOwn(routeKinds, word) ? routeKinds[word] : undefined;
  if (kind === undefined || namespace === '' || name === '' || !Number.isInteger(number)) return undefined;
  return { kind, namespace, name, rule: number };
}

/** Whether clients' addresses of failed requests may be kept and shown, by the DataPlane of a set of proxies. */
export function clientsShown(graph: GraphView): (fleet: string) => boolean {
  const known = new Map<string, boolean>();
  return (fleet) => {
    const isShown = known.get(fleet) ?? isShownBy(graph.snapshot()?.gateways.get(fleet));
    known.set(fleet, isShown);
    return isShown;
  };
}

const isShownBy = (fleet: Fleet | undefined): boolean =>
  [...(fleet?.listeners.values() ?? [])].some(({ chains }) =>
    chains.some((chain) => chain.kind === 'http' && chain.showsClients),
  );

/** Whether the requests of proxies are not counted, by their DataPlane. */
export const isOff = ({ listeners }: Fleet): boolean =>
  [...listeners.values()].some(({ chains }) =>
    chains.some((chain) => chain.kind === 'http' && chain.traffic === 'off'),
  );

/**
 * Names in a report as they are kept. An agent speaks for the proxies of one Gateway: what it says of routes, backends and listeners that they do not have
 * counts for none of them. Such an agent lies, or is late.
 */
export class Ownership {
  readonly #graph: GraphView;
  readonly #fleet: string;
  readonly #routes = new Map<string, boolean>();
  readonly #showsClients: (fleet: string) => boolean;

  constructor(graph: GraphView, fleet: string) {
    this.#graph = graph;
    this.#fleet = fleet;
    this.#showsClients = clientsShown(graph);
  }

  kept({ listener, route, backend }: Names): Names {
    const fleet = this.#graph.snapshot()?.gateways.get(this.#fleet);
    return {
      listener: fleet?.tables.has(listener) ? listener : '',
      route: this.#route(route),
      backend: fleet?.backends.has(backend) ? backend : '',
    };
  }

  /** A client's address as it is kept: empty where it may not be shown. An agent that reports it nevertheless lies, or is late. */
  clientAddress(address: string): string {
    return this.#showsClients(this.#fleet) ? address : '';
  }

  /** Empty where no route was found. */
  #route(rule: string): string {
    if (rule === '' || rule.startsWith('gatewright/')) return '';
    const known = this.#routes.get(rule) ?? this.#isServed(rule);
    this.#routes.set(rule, known);
    return known ? rule : unknownRoute;
  }

  #isServed(rule: string): boolean {
    const route = parseRule(rule);
    if (route === undefined) return false;
    const status = this.#graph.statusOf(route.kind, objectKey(route.namespace, route.name));
    if (status === undefined || !('parents' in status)) return false;
    return status.parents.some(({ parentRef: { kind = 'Gateway', namespace = route.namespace, name } }) => {
      const gateway = kind === 'Gateway' ? objectKey(namespace, name) : this.#gatewayOfSet(objectKey(namespace, name));
      return gateway !== undefined && this.#graph.fleetOf(gateway) === this.#fleet;
    });
  }

  #gatewayOfSet(key: string): string | undefined {
    const set = this.#graph.find('ListenerSet', key);
    if (set === undefined) return undefined;
    const { namespace = set.metadata.namespace ?? '', name } = set.spec.parentRef;
    return objectKey(namespace, name);
  }
}
