import { keyOf, type ObjectByKind, parseObjectKey } from '../../gateway-api/index.ts';
import { type AccessPlace, type GraphView, gatewayOfSet } from '../../graph/index.ts';
import { routeKeyOf, ruleNames } from '../route-test/access-question.ts';
import type { RouteObject } from '../routes/route-record.ts';
import type { PlaceName } from './record.ts';

export type Owner = ObjectByKind['Gateway' | 'ListenerSet'];

/** What policies say at a place. */
export type HoldingsAt<H> = (place: AccessPlace) => readonly H[];

/** One of these, and where it is. */
export interface Placed<H> {
  readonly place: PlaceName;
  readonly holding: H;
}

/** At each rule of a route: Gateway by Gateway. */
export function placedAtRoute<H>(graph: GraphView, route: RouteObject, holdingsAt: HoldingsAt<H>): Placed<H>[] {
  const key = routeKeyOf(route);
  return graph.placesOf(key).flatMap(({ gateway }) =>
    ruleNames(route).flatMap((name, rule) => {
      const place = placeName(route, gateway, { section: null, rule, ruleName: name ?? null });
      return holdingsAt({ gateway, route: key, rule: name, ruleIndex: rule }).map((holding) => ({ place, holding }));
    }),
  );
}

/** At the listeners of a Gateway or a ListenerSet; what is the same at all of them is there once. */
export function placedAtOwner<H>(graph: GraphView, owner: Owner, holdingsAt: HoldingsAt<H>): Placed<H>[] {
  const gateway = owner.kind === 'Gateway' ? keyOf(owner) : gatewayOfSet(owner);
  if (gateway === undefined || graph.statusOf('Gateway', gateway) === undefined) return [];
  const { kind, metadata } = owner;
  const { listeners = [] } = owner.spec;
  const declares = { kind, namespace: metadata.namespace ?? '', name: metadata.name };
  const found = listeners.flatMap(({ name }) =>
    holdingsAt({ gateway, listener: { owner: declares, name } }).map((holding) => ({
      name,
      holding,
      text: JSON.stringify(holding),
    })),
  );
  return [...Map.groupBy(found, ({ text }) => text).values()].flatMap((same) => {
    const everywhere = same.length === listeners.length;
    return (everywhere ? same.slice(0, 1) : same).map(({ name, holding }) => ({
      place: placeName(owner, gateway, { section: everywhere ? null : name, rule: null, ruleName: null }),
      holding,
    }));
  });
}

const placeName = (
  { kind, metadata }: RouteObject | Owner,
  gateway: string,
  part: Pick<PlaceName, 'section' | 'rule' | 'ruleName'>,
): PlaceName => ({
  gateway: parseObjectKey(gateway),
  target: { kind, namespace: metadata.namespace ?? '', name: metadata.name },
  ...part,
});
