import * as ir from '../../ir/index.ts';
import { keyedTraffic, ruleWithout } from '../filters/index.ts';
import { type EnvoyResource, type Origin, type Provenance, patchOrigin, type Trial } from '../resource/index.ts';
import { closedRoute, encodeRoute, encodingFault } from '../routes/index.ts';
import { routesOnTrial } from './routes-on-trial.ts';

/** The resource with the one fragment it is made from. */
export const originOf = (
  kind: Origin['kind'],
  key: string,
  fragment: object,
  resource: EnvoyResource,
): EnvoyResource => ({ ...resource, provenance: { origins: () => [{ kind, key, digest: ir.digestOf(fragment) }] } });

/** How a listener is made of other chains. */
export interface ListenerMaking {
  /** Apart from what is served. */
  readonly probe: (chains: readonly ir.Chain[]) => EnvoyResource;
  readonly make: (chains: readonly ir.Chain[]) => EnvoyResource;
  /** What ends the connections of a chain, so that no wider one takes its clients. */
  readonly closed: (chain: ir.Chain) => ir.ClosedChain;
}

/**
 * The provenance of a listener with several chains: each of them may be why it is rejected, and must leave the others open. `chains`
 * are those in the resource; `listener` is what it was made from.
 */
export const listenerProvenance = (
  listener: ir.Listener,
  chains: readonly ir.Chain[],
  { probe, make, closed }: ListenerMaking,
): Provenance => {
  const keyOf = ({ name }: ir.Chain) => ir.chainKey(listener.key, name);
  return {
    origins: () => chains.map((chain) => ({ kind: 'listener', key: keyOf(chain), digest: ir.digestOf(chain) })),
    whole: () => ({ kind: 'listener', key: listener.key, digest: ir.digestOf(listener) }),
    probe: (keys) => probe(chains.filter((chain) => keys.has(keyOf(chain)))),
    without: (_name, keys) => {
      const left = chains.map((chain) => (keys.has(keyOf(chain)) ? closed(chain) : chain));
      return left.every(({ kind }) => kind === 'closed') ? undefined : make(left);
    },
  };
};

/** A host as it is now, by whatever it was when something was made of it. */
export interface Whole {
  virtualHost: ir.VirtualHost;
}

/** How a scope is made of other hosts: one for each sort of scopes. */
export interface ScopeMaking {
  /** Apart from what is served. */
  readonly probe: (hosts: readonly ir.VirtualHost[]) => EnvoyResource;
  readonly make: (name: string, hosts: readonly ir.VirtualHost[], whole: Whole | undefined) => EnvoyResource;
}

/**
 * The provenance of a scope: the routes on its hosts, in the order in which they are tried. A class, as there is one for each host and
 * closures would take ten times as much.
 */
export class ScopeProvenance implements Provenance {
  /** Most have one, and a list for it would take as much as all else. */
  readonly #content: ir.VirtualHost | readonly ir.VirtualHost[];
  readonly #making: ScopeMaking;
  readonly #whole: Whole | undefined;
  /** Missing where no route has a patch, which is nearly always. */
  readonly trials?: () => readonly Trial[];

  /** `whole`: the host of which this is a part. */
  constructor(hosts: readonly ir.VirtualHost[], making: ScopeMaking, whole?: Whole) {
    const [only, ...others] = hosts;
    this.#content = only && others.length === 0 ? only : hosts;
    this.#making = making;
    this.#whole = whole;
    if (hosts.some(({ routes }) => routes.some(({ rule }) => rule.patch))) this.trials = () => this.#trials();
  }

  get #hosts(): readonly ir.VirtualHost[] {
    return 'host' in this.#content ? [this.#content] : this.#content;
  }

  origins(): readonly Origin[] {
    const routes = routesOf(this.#hosts);
    return [...originsOf(routes, this.#whole?.virtualHost.routes), ...trafficOf(routes), ...patchesOf(routes)];
  }

  unencodable(): ReturnType<typeof unencodable> {
    return unencodable(this.#hosts, () => this.origins());
  }

  mayHave(keys: ReadonlySet<string>): boolean {
    return this.#hosts.some(({ routes }) =>
      routes.some(
        (route) =>
          keys.has(ir.sourceOfRoute(route.id)) ||
          keys.has(route.rule.patch?.id ?? '') ||
          keyedIn(route).some(({ key }) => keys.has(key)),
      ),
    );
  }

  namedIn(message: string): readonly string[] {
    return namedIn(this.#hosts, message);
  }

  /** What else is on a host decides nothing of a patch. */
  #trials(): readonly Trial[] {
    return patchesOf(routesOf(this.#hosts)).map((origin) => ({
      origin,
      version: '',
      content: () => routesOnTrial(this.probe(new Set([origin.key]))),
    }));
  }

  probe(keys: ReadonlySet<string>): EnvoyResource {
    const hosts = this.#hosts.map((host) => ({ ...host, routes: host.routes.flatMap((route) => probed(route, keys)) }));
    const some = hosts.filter(({ routes }) => routes.length > 0);
    return this.#making.probe(some.length > 0 ? some : hosts.slice(0, 1));
  }

  /** A host without routes stays, or a wider one would take its requests. */
  without(name: string, keys: ReadonlySet<string>): EnvoyResource {
    const isKept = ({ id }: ir.Route) => !keys.has(ir.sourceOfRoute(id));
    const hosts = this.#hosts.map((host) => ({
      ...host,
      routes: host.routes.flatMap((route) =>
        isKept(route) ? withoutTraffic(route, keys) : (closedRoute(route) ?? []),
      ),
    }));
    return this.#making.make(name, hosts, this.#whole);
  }
}

const keyedIn = ({ rule: { filters, trafficSources } }: ir.Route) =>
  keyedTraffic(filters?.traffic ?? {}, trafficSources);

/** What stays as it is is the same object, and is encoded already. */
function withoutTraffic(route: ir.Route, keys: ReadonlySet<string>): ir.Route {
  const rule = withoutPatch(ruleWithout(route.rule, keys), keys);
  return rule === route.rule ? route : { ...route, rule };
}

function withoutPatch(rule: ir.RouteRule, keys: ReadonlySet<string>): ir.RouteRule {
  if (!rule.patch || !keys.has(rule.patch.id)) return rule;
  const { patch: _, ...others } = rule;
  return others;
}

/** EnvoyPatches of routes. They stand behind the routes: what a route and its patch are rejected for together is for the patch to put right. */
const patchesOf = (routes: readonly ir.Route[]): Origin[] =>
  [...new Map(routes.flatMap(({ rule: { patch } }) => (patch ? [[patch.id, patch] as const] : []))).values()].map(
    patchOrigin,
  );

/** What policies of traffic have on routes, each of their filters by itself. */
const trafficOf = (routes: readonly ir.Route[]): Origin[] =>
  [...new Map(routes.flatMap((route) => keyedIn(route).map(({ key, value }) => [key, value] as const)))].map(
    ([key, value]) => ({ kind: 'traffic', key, digest: ir.digestOf(value) }),
  );

/** A route with what it has of these: without filters and a patch that are none of them, and of a route that is none of them those alone. */
function probed(route: ir.Route, keys: ReadonlySet<string>): ir.Route | readonly [] {
  const others = new Set(keyedIn(route).flatMap(({ key }) => (keys.has(key) ? [] : key)));
  const { patch, ...rule } = route.rule;
  const probedPatch = patch && keys.has(patch.id) && { patch };
  if (keys.has(ir.sourceOfRoute(route.id))) {
    const traffic = wanted(route, others);
    return { ...route, rule: { ...rule, ...probedPatch, filters: { ...rule.filters, ...(traffic && { traffic }) } } };
  }
  const traffic = others.size < keyedIn(route).length ? wanted(route, others) : undefined;
  if (!traffic && !probedPatch) return [];
  const action = probedPatch ? nowhere : ({ kind: 'respond', status: 404 } as const);
  return { ...route, rule: { ...(traffic && { filters: { traffic } }), ...probedPatch, action } };
}

/** A patch is of the action of forwarded requests. */
const nowhere: ir.ForwardAction = { kind: 'forward', backends: [{ weight: 1 }], invalidStatus: 503 };

/** The filters of policies of traffic, but those. */
function wanted({ rule: { filters, trafficSources } }: ir.Route, others: ReadonlySet<string>) {
  const traffic = filters?.traffic;
  if (!traffic || others.size === 0) return traffic;
  const left = Object.entries(traffic).filter(([name]) => {
    const filter = name as ir.TrafficFilter;
    return !others.has(ir.trafficKey(trafficSources?.[filter] ?? '', filter));
  });
  return Object.fromEntries(left) as ir.RouteTraffic;
}

/** What is rejected is all that an object wants of a host, though the scope has but a part of it; unless that is not what the object wants any more. */
export function originsOf(routes: readonly ir.Route[], whole: readonly ir.Route[] = routes): Origin[] {
  const wanted = bySource(whole);
  return [...bySource(routes)].map(([key, some]) => {
    const all = wanted.get(key) ?? [];
    return { kind: 'route', key, digest: ir.digestOfRoutes(some.every((route) => all.includes(route)) ? all : some) };
  });
}

const bySource = (routes: readonly ir.Route[]): Map<string, ir.Route[]> =>
  Map.groupBy(routes, ({ id }) => ir.sourceOfRoute(id));

function unencodable(
  hosts: readonly ir.VirtualHost[],
  origins: () => readonly Origin[],
): { origin: Origin; message: string }[] {
  const messages = new Map<string, string>();
  for (const { routes } of hosts) {
    for (const route of routes) {
      const message = encodingFault(route);
      if (message !== undefined) messages.set(ir.sourceOfRoute(route.id), message);
    }
  }
  if (messages.size === 0) return [];
  return origins().flatMap((origin) => {
    const message = messages.get(origin.key);
    return message === undefined ? [] : [{ origin, message }];
  });
}

const routesOf = (hosts: readonly ir.VirtualHost[]): ir.Route[] => hosts.flatMap(({ routes }) => routes);

/** Envoy's validation counts: `VirtualHosts[0]: … Routes[17]: …`. What is checked later may name the route. */
function namedIn(hosts: readonly ir.VirtualHost[], message: string): string[] {
  const sources = new Set(routesOf(hosts).flatMap(({ id }) => (message.includes(id) ? ir.sourceOfRoute(id) : [])));
  const [, host, index] = /VirtualHosts\[(\d+)\][^[]*Routes\[(\d+)\]/.exec(message) ?? [];
  const counted = host === undefined ? undefined : routeAt(hosts[Number(host)], Number(index));
  if (counted) sources.add(ir.sourceOfRoute(counted.id));
  if (counted?.rule.patch) sources.add(counted.rule.patch.id);
  return [...sources];
}

/** A route may come to several of Envoy's. */
function routeAt(virtualHost: ir.VirtualHost | undefined, index: number): ir.Route | undefined {
  let passed = 0;
  return virtualHost?.routes.find((route) => {
    passed += encodeRoute(route, virtualHost).length;
    return index < passed;
  });
}
