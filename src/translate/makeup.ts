import * as ir from '../ir/index.ts';
import type { EnvoyResource, Makeup, Origin } from './envoy-resource.ts';
import { encodeRoute, encodingFault } from './route.ts';

/** The resource with the one fragment it is made from. */
export const madeFrom = (
  kind: Origin['kind'],
  key: string,
  fragment: object,
  resource: EnvoyResource,
): EnvoyResource => ({ ...resource, makeup: { origins: () => [{ kind, key, digest: ir.digestOf(fragment) }] } });

/**
 * The makeup of a listener with several chains: each of them may be why it is refused, and has to leave the others open.
 * `probe` makes a listener of other chains.
 */
export const listenerMakeup = (
  listener: ir.Listener,
  probe: (chains: readonly ir.Chain[]) => EnvoyResource,
): Makeup => {
  const keyOf = ({ name }: ir.Chain) => ir.chainKey(listener.key, name);
  return {
    origins: () =>
      listener.chains.map((chain) => ({ kind: 'listener', key: keyOf(chain), digest: ir.digestOf(chain) })),
    whole: () => ({ kind: 'listener', key: listener.key, digest: ir.digestOf(listener) }),
    probe: (keys) => probe(listener.chains.filter((chain) => keys.has(keyOf(chain)))),
  };
};

/** A host as it is now, by whatever it was when something was made of it. */
export interface Whole {
  virtualHost: ir.VirtualHost;
}

/**
 * The makeup of a scope: the routes on its hosts, in the order in which they are tried. A class, as there is one for each host and
 * closures would take ten times as much.
 */
export class ScopeMakeup implements Makeup {
  readonly #hosts: readonly ir.VirtualHost[];
  readonly #probe: (hosts: readonly ir.VirtualHost[]) => EnvoyResource;
  readonly #whole: Whole | undefined;

  /** `probe` makes a scope of other hosts. `whole`: the host of which this is a part. */
  constructor(
    hosts: readonly ir.VirtualHost[],
    probe: (hosts: readonly ir.VirtualHost[]) => EnvoyResource,
    whole?: Whole,
  ) {
    this.#hosts = hosts;
    this.#probe = probe;
    this.#whole = whole;
  }

  origins(): readonly Origin[] {
    return originsOf(routesOf(this.#hosts), this.#whole?.virtualHost.routes);
  }

  unencodable(): ReturnType<typeof unencodable> {
    return unencodable(this.#hosts, () => this.origins());
  }

  namedIn(message: string): readonly string[] {
    return namedIn(this.#hosts, message);
  }

  probe(keys: ReadonlySet<string>): EnvoyResource {
    const hosts = this.#hosts.map((host) => ({
      ...host,
      routes: host.routes.filter(({ id }) => keys.has(ir.sourceOfRoute(id))),
    }));
    const some = hosts.filter(({ routes }) => routes.length > 0);
    return this.#probe(some.length > 0 ? some : hosts.slice(0, 1));
  }
}

/** What is refused is all that an object wants of a host, though the scope has but a part of it; unless that is not what the object wants any more. */
function originsOf(routes: readonly ir.Route[], whole: readonly ir.Route[] = routes): Origin[] {
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
