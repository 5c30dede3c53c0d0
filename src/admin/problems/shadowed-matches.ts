import { keyOf, objectKey, type RouteKindName } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { hostnamesOf, type RouteObject } from '../routes/route-record.ts';
import type { Finding } from './problem.ts';

/** A match of a route that another route has too, on a host where that one is tried first. */
interface Shadow {
  readonly host: string;
  /** Ids of routes in the IR. */
  readonly loser: string;
  readonly winner: string;
  readonly match: ir.RouteMatch;
}

/** Looks routes up. */
type Routes = Pick<GraphView, 'find'>;

/** Which matches no request reaches, by the two routes. Filled host by host, so that a change costs the hosts that it touches. */
export class ShadowedMatches {
  /** By place of the host, those that have any. */
  readonly #byPlace = new Map<string, readonly Shadow[]>();
  /** By `LOSER WINNER`, then by place. */
  readonly #byPair = new Map<string, Map<string, readonly Shadow[]>>();

  /** What is on the host now. `place` names it among all hosts of all tables. @returns the pairs of routes that are different */
  set(place: string, host: ir.VirtualHost | undefined): readonly string[] {
    const before = this.#byPlace.get(place) ?? [];
    const after = host === undefined ? [] : shadowsOn(host);
    if (before.length + after.length === 0) return [];
    for (const pair of new Set(before.map(pairOf))) this.#remove(pair, place);
    for (const [pair, shadows] of Map.groupBy(after, pairOf)) {
      const places = this.#byPair.get(pair) ?? new Map();
      this.#byPair.set(pair, places.set(place, shadows));
    }
    if (after.length > 0) this.#byPlace.set(place, after);
    else this.#byPlace.delete(place);
    return [...new Set([...before, ...after].map(pairOf))];
  }

  /** Places that have any. */
  places(): Iterable<string> {
    return this.#byPlace.keys();
  }

  pairs(): Iterable<string> {
    return this.#byPair.keys();
  }

  /** What is to be said of two routes; undefined when neither takes a request from the other. */
  finding(pair: string, routes: Routes): Finding | undefined {
    const shadows = [...(this.#byPair.get(pair)?.values() ?? [])].flat();
    const [first] = shadows;
    if (first === undefined) return undefined;
    const [loser, winner] = [findRoute(first.loser, routes), findRoute(first.winner, routes)];
    // A route for the more specific of two hostnames goes first, as its author means it.
    if (!loser || !winner || !haveSameHostname(loser, winner)) return undefined;
    const { kind, namespace = '', name } = { kind: loser.kind, ...loser.metadata };
    return {
      code: 'match_shadowed',
      object: { kind, namespace, name },
      message: textOf(first, new Set(shadows.map((shadow) => shadow.loser)).size, { loser, winner }),
      likeness: `${winner.kind} ${keyOf(winner)}`,
    };
  }

  #remove(pair: string, place: string): void {
    const places = this.#byPair.get(pair);
    places?.delete(place);
    if (places?.size === 0) this.#byPair.delete(pair);
  }
}

/** Matches that no request reaches, because another route has the same. Undefined for each host that was looked at, so that callers may pause. */
export function* ofShadowedMatches({ graph }: { readonly graph: GraphView }): Generator<Finding | undefined> {
  const shadowed = new ShadowedMatches();
  for (const gateway of graph.snapshot()?.gateways.values() ?? [])
    for (const { id, exact, fallback } of gateway.tables.values())
      for (const [scope, hosts] of Object.entries({ exact, fallback }))
        for (const [name, host] of hosts) {
          shadowed.set(hostPlace(gateway.key, `${id} ${scope}`, name), host);
          yield undefined;
        }
  for (const pair of shadowed.pairs()) yield shadowed.finding(pair, graph);
}

/** Names a host among all hosts of all proxies; `table` with the map of it that has the host. */
export const hostPlace = (gateway: string, table: string, host: string): string => `${gateway} ${table} ${host}`;

const pairOf = ({ loser, winner }: Shadow): string => `${ir.sourceOfRoute(loser)} ${ir.sourceOfRoute(winner)}`;

/** The first of equal matches gets all requests. */
function shadowsOn({ host, routes }: ir.VirtualHost): Shadow[] {
  if (routes.length < 2) return [];
  const winners = new Map<string, string>();
  return routes.flatMap(({ id, match }) => {
    const text = canonicalText(match);
    const winner = winners.get(text);
    if (winner === undefined) winners.set(text, id);
    const isOwn = winner === undefined || ir.sourceOfRoute(winner) === ir.sourceOfRoute(id);
    return isOwn ? [] : [{ host, loser: id, winner, match }];
  });
}

/** The same for matches that hold for the same requests: the order of headers and parameters is free. */
function canonicalText({ path, method, headers, queryParams, grpc, cookies = [] }: ir.RouteMatch): string {
  const sorted = (named: readonly ir.NamedMatch[]) =>
    named.length < 2 ? named : named.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return JSON.stringify([path.kind, path.value, method, grpc, sorted(headers), sorted(queryParams), cookies]);
}

function findRoute(id: string, routes: Routes): RouteObject | undefined {
  const { kind, namespace, name } = ir.parseRouteId(id);
  const known = ({ httproute: 'HTTPRoute', grpcroute: 'GRPCRoute' } as const)[kind] as RouteKindName | undefined;
  return known && routes.find(known, objectKey(namespace, name));
}

function haveSameHostname(one: RouteObject, other: RouteObject): boolean {
  const [own, others] = [one, other].map((route) => hostnamesOf(route).map((name) => name.toLowerCase()));
  if (own?.length === 0 || others?.length === 0) return own?.length === others?.length;
  return own?.some((name) => others?.includes(name)) ?? false;
}

interface Pair {
  readonly loser: RouteObject;
  readonly winner: RouteObject;
}

function textOf({ host, loser, winner, match }: Shadow, count: number, pair: Pair): string {
  const at = host === '*' ? 'on any host' : `on host ${host}`;
  const more = count === 1 ? '' : ` and ${count - 1} more`;
  const other = `${pair.winner.kind} ${keyOf(pair.winner)} has the same match in rule ${ir.parseRouteId(winner).rule}`;
  return `rule ${ir.parseRouteId(loser).rule} (${matchText(match)}${more}) gets no request ${at}: ${other} and goes first, ${reasonOf(pair)}`;
}

function reasonOf({ loser, winner }: Pair): string {
  const [its, own] = [winner.metadata.creationTimestamp, loser.metadata.creationTimestamp];
  return its === own ? 'as it is as old and its name comes first' : `as it is older (${its}, this one ${own})`;
}

function matchText({ path, method, headers, queryParams, cookies = [] }: ir.RouteMatch): string {
  const kinds = { exact: 'path', prefix: 'path prefix', regex: 'path like' };
  return [
    ...(method === undefined ? [] : [method]),
    `${kinds[path.kind]} ${path.value}`,
    ...headers.map(({ name }) => `header ${name}`),
    ...queryParams.map(({ name }) => `parameter ${name}`),
    ...cookies.map(({ name }) => `cookie ${name}`),
  ].join(', ');
}
