import { keyOf, type ObjectByKind, parseObjectKey } from '../../gateway-api/index.ts';
import { type AccessPlace, type GraphView, gatewayOfSet, type TrafficHolding } from '../../graph/index.ts';
import { nameOf } from '../access/judged.ts';
import { routeKeyOf, ruleNames } from '../route-test/access-question.ts';
import type { RouteObject } from '../routes/route-record.ts';
import type { TrafficPolicyEntry } from './record.ts';

type Owner = ObjectByKind['Gateway' | 'ListenerSet'];

interface Place {
  readonly at: AccessPlace & { readonly gateway: string };
  readonly section: string | null;
  readonly rule: number | null;
}

/** What holds at each rule of a route, and what of policies does not: Gateway by Gateway. */
export function routeEntries(graph: GraphView, route: RouteObject): TrafficPolicyEntry[] {
  const key = routeKeyOf(route);
  return graph.placesOf(key).flatMap(({ gateway }) =>
    ruleNames(route).flatMap((rule, index) => {
      const place: Place = { at: { gateway, route: key, rule }, section: null, rule: index };
      return graph.trafficAt(place.at).map((holding) => entryOf(route, place, holding));
    }),
  );
}

/** The same at the listeners of a Gateway or a ListenerSet; what is the same at all of them is there once. */
export function ownerEntries(graph: GraphView, owner: Owner): TrafficPolicyEntry[] {
  const gateway = owner.kind === 'Gateway' ? keyOf(owner) : gatewayOfSet(owner);
  if (gateway === undefined || graph.statusOf('Gateway', gateway) === undefined) return [];
  const { kind, metadata } = owner;
  const { listeners = [] } = owner.spec;
  const at = (name: string): Place['at'] => ({
    gateway,
    listener: { owner: { kind, namespace: metadata.namespace ?? '', name: metadata.name }, name },
  });
  const found = listeners.flatMap(({ name }) =>
    graph.trafficAt(at(name)).map((holding) => ({ name, holding, text: JSON.stringify(holding) })),
  );
  return [...Map.groupBy(found, ({ text }) => text).values()].flatMap((same) =>
    (same.length === listeners.length ? same.slice(0, 1) : same).map(({ name, holding }) => {
      const section = same.length === listeners.length ? null : name;
      return entryOf(owner, { at: at(name), section, rule: null }, holding);
    }),
  );
}

function entryOf(
  { kind, metadata }: RouteObject | Owner,
  { at, section, rule }: Place,
  { level, group, policy, state, by, value }: TrafficHolding,
): TrafficPolicyEntry {
  return {
    gateway: parseObjectKey(at.gateway),
    target: { kind, namespace: metadata.namespace ?? '', name: metadata.name },
    section,
    rule,
    level,
    group,
    policy: nameOf(policy),
    state,
    by: by === undefined ? null : nameOf(by),
    value: value ?? null,
  };
}
