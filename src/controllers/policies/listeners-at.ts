import type { AccessPlace, GuardedListener, TrafficLookup } from '../../graph/engine/index.ts';
import { ownerTarget } from './listener-targets.ts';

/** Those that requests to a place come by: its listener, those that its route is attached to, or all of its Gateway. */
export function listenersAt(
  { gateway, listener, route }: AccessPlace,
  { gateways, routes }: Pick<TrafficLookup, 'gateways' | 'routes'>,
): readonly GuardedListener[] {
  if (gateway === undefined) return [];
  if (route !== undefined && !listener) return routes.listenersOf(route, gateway);
  const all = gateways.listenersOf(gateway);
  if (!listener) return all;
  const { owner, name } = listener;
  return all.filter((each) => ownerTarget(each.owner) === ownerTarget(owner) && (name ?? each.name) === each.name);
}

export const isSameListener = (a: GuardedListener, b: GuardedListener): boolean =>
  a.name === b.name && ownerTarget(a.owner) === ownerTarget(b.owner);
