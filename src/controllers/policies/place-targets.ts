import type { AccessLookup, AccessPlace } from '../../graph/engine/index.ts';
import type * as ir from '../../ir/index.ts';
import { gatewayTarget, targetsOfListener } from './listener-targets.ts';

/** What policies of one level are for. */
export interface PlaceTarget {
  readonly target: string;
  /** Name of a listener or a rule; undefined: all of the target. */
  readonly section?: string | undefined;
}

type Lookup = Pick<AccessLookup, 'routes'>;

/** What a place is at each level. A level without one does not compile. */
export const placeTargets: {
  readonly [L in ir.AccessLevel]: (place: AccessPlace, lookup: Lookup) => readonly PlaceTarget[];
} = {
  gateway: ({ gateway }) => (gateway === undefined ? [] : [{ target: gatewayTarget(gateway) }]),
  listenerSet: (place, lookup) => ofListeners('listenerSet', place, lookup),
  listener: (place, lookup) => ofListeners('listener', place, lookup),
  route: ({ route }) => (route === undefined ? [] : [{ target: route }]),
  rule: ({ route, rule }) => (route === undefined || rule === undefined ? [] : [{ target: route, section: rule }]),
};

/** A route may be attached to several listeners. */
function ofListeners(
  level: 'listenerSet' | 'listener',
  { gateway, listener, route }: AccessPlace,
  { routes }: Lookup,
): readonly PlaceTarget[] {
  if (gateway === undefined) return [];
  const attached = route === undefined ? [] : routes.listenersOf(route, gateway);
  const targets = [...(listener ? [listener] : []), ...attached]
    .flatMap((each) => targetsOfListener(gateway, { owner: each.owner, name: each.name ?? '' }))
    .filter((each) => each.level === level);
  const known = new Map(targets.map(({ target, section }) => [`${target} ${section}`, { target, section }]));
  return [...known.values()];
}
