import { coversHostname, keyOf, objectKey, shownObject } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import type { RouteTestResult } from '../../offline/route-test/index.ts';
import { firstNames } from '../../std/index.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import { findRoute, hostnamesOf, listRoutes, parentsOf, type RouteObject } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';

const mostNamed = 5;

/** What a person should look at next, for a request that did not get where it was meant to go. */
export function routeTestHints(
  sources: AdminSources,
  { gateway, port, result }: { readonly gateway: ir.Fleet; readonly port: number; readonly result: RouteTestResult },
): string[] {
  switch (result.outcome) {
    case 'refused':
      return result.entrance ? [] : openPorts(gateway, port);
    case 'no_host':
    case 'no_route':
      return [...notAttached(sources, gateway.key, result.request?.host ?? ''), ...knownHosts(gateway, result)];
    case 'misdirected':
      return [
        'Clients of HTTP/2 reuse connections for other hosts of one certificate: give each listener its own, or expect 421',
      ];
    case 'respond':
      return result.winner ? unresolved(sources, result.winner.route.id) : [];
    default:
      return [];
  }
}

function openPorts({ key, listeners }: ir.Fleet, port: number): string[] {
  const open = [...listeners.keys()].sort();
  const list = open.length === 0 ? 'it has none' : `it has ${named(open)}`;
  return [`No listener of Gateway ${key} is open at port ${port}: ${list}`];
}

/** Routes that name the host, or any, and that the Gateways of these proxies do not take. Looks at every route: it is rarely asked. */
function notAttached(sources: AdminSources, fleet: string, host: string): string[] {
  const hints: string[] = [];
  for (const route of listRoutes(sources.graph)) {
    if (hints.length >= mostNamed) break;
    if ((route.kind !== 'HTTPRoute' && route.kind !== 'GRPCRoute') || !isFor(route, host)) continue;
    for (const { parentRef, conditions } of parentsOf(route, sources)) {
      const parent = `${parentRef.namespace ?? route.metadata.namespace}/${parentRef.name}`;
      const rejection = conditions.find(({ type, status }) => type === 'Accepted' && status === 'False');
      if (!rejection || ((parentRef.kind ?? 'Gateway') === 'Gateway' && sources.graph.fleetOf(parent) !== fleet))
        continue;
      hints.push(
        `${shownObject(route.kind, keyOf(route))} is for this host, but ${parent} does not take it: ${rejection.reason}: ${rejection.message}`,
      );
    }
  }
  return hints;
}

const isFor = (route: RouteObject, host: string): boolean => {
  const hostnames = hostnamesOf(route);
  return hostnames.length === 0 || hostnames.some((hostname) => coversHostname(hostname.toLowerCase(), host));
};

function knownHosts({ tables }: ir.Fleet, { outcome, entrance }: RouteTestResult): string[] {
  if (outcome !== 'no_host' || !entrance) return [];
  const { exact, fallback } = tables.get(entrance.chain.table) ?? {};
  const hosts = [...(exact?.values() ?? []), ...(fallback?.values() ?? [])]
    .filter(({ routes }) => routes.length > 0)
    .map(({ host }) => host);
  if (hosts.length === 0) return [`No route is attached at ${entrance.listener.key}`];
  return [`Routes at ${entrance.listener.key} are for ${named(hosts.sort())}`];
}

/** Why the references of the route do not resolve. */
function unresolved(sources: AdminSources, id: string): string[] {
  const { kind, namespace, name } = ir.parseRouteId(id);
  const known = findRouteKind(kind);
  const route = known && findRoute(sources.graph, known, objectKey(namespace, name));
  if (!route) return [];
  const faults = parentsOf(route, sources).flatMap(({ conditions }) =>
    conditions.filter(({ type, status }) => type === 'ResolvedRefs' && status === 'False'),
  );
  return [
    ...new Set(faults.map(({ reason, message }) => `${shownObject(route.kind, keyOf(route))}: ${reason}: ${message}`)),
  ];
}

const named = (names: readonly string[]): string => firstNames(names, mostNamed);
