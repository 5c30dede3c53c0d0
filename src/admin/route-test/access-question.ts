import { keyOf, objectKey } from '../../gateway-api/index.ts';
import type { AccessPlace, GraphView } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { clientAddress, demandsOnHost, type PresentedCertificate } from '../../offline/access/index.ts';
import type { RouteTestResult } from '../../offline/route-test/index.ts';
import type { AccessQuestion } from '../access/judged.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import { findRoute, type RouteObject } from '../routes/route-record.ts';

/** Who asks, beside what the request says. */
export interface Asker extends Pick<AccessQuestion['request'], 'now' | 'passwords'> {
  /** Address of the connection. */
  readonly from: string | undefined;
  /** Of the connection, verified. */
  readonly certificate: PresentedCertificate | undefined;
}

/** What policies of access are asked about a request; undefined: it does not get that far. */
export function accessQuestion(
  graph: GraphView,
  { tables }: ir.Fleet,
  gateway: string,
  { request, entrance, winner, walk, scheme }: RouteTestResult,
  { from, certificate, now, passwords }: Asker,
): AccessQuestion | undefined {
  if (!request || !entrance) return undefined;
  const { table, client = {}, tls } = entrance.chain;
  const address = clientAddress(from, request.header, client);
  return {
    source: {
      table: demandsOnHost(tables.get(table)?.access, winner?.host ?? nameOf(walk?.hosts.at(-1))),
      rule: winner?.route.rule.filters?.access,
    },
    request: {
      ...request,
      ...(address !== undefined && { address }),
      ...(certificate && tls?.clients && { certificate }),
      ...(scheme && { scheme }),
      now,
      passwords,
    },
    asksForCertificates: tls?.clients !== undefined,
    place: { gateway, ...(winner && placeOfRule(graph, winner.route.id)) },
  };
}

const nameOf = (host: ir.VirtualHost | undefined): string | undefined => host && ir.virtualHostName(host);

/** Policies name a rule of a route by its name. */
function placeOfRule(graph: GraphView, id: string): Omit<AccessPlace, 'gateway'> {
  const { kind, namespace, name, rule } = ir.parseRouteId(id);
  const known = findRouteKind(kind);
  const route = known && findRoute(graph, known, objectKey(namespace, name));
  return route ? { route: routeKeyOf(route), rule: ruleNames(route)[rule], ruleIndex: rule } : {};
}

export const routeKeyOf = (route: RouteObject): string => `${route.kind} ${keyOf(route)}`;

/** By position; undefined: it has none. */
export const ruleNames = ({ spec }: RouteObject): readonly (string | undefined)[] =>
  (spec.rules ?? []).map(({ name }) => name);

/** The same of a route by the word of its kind and its key. Empty: there is no such route, or it has no rules with names. */
export function ruleNamesAt(graph: GraphView, word: string, key: string): readonly (string | undefined)[] {
  const kind = findRouteKind(word);
  const route = kind && findRoute(graph, kind, key);
  return route ? ruleNames(route) : [];
}
