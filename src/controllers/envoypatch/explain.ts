import { keyOf } from '../../gateway-api/index.ts';
import type { AccessPlace, TrafficHolding, TrafficLookup } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { placeTargets, routePoliciesOf } from '../policies/index.ts';
import { isUsable, partsOf } from './content.ts';
import { contentsAt, policyOfRule } from './route-patch.ts';
import { type Policy, patchedRoutes } from './targets.ts';
import { unpatchedAt, unpatchedNote } from './unpatched.ts';

/** Which patches are laid over a place, part by part: those of its Gateway, its route and its rule. */
export const holdingsAt = (place: AccessPlace, lookup: TrafficLookup): readonly TrafficHolding[] =>
  ir.accessLevels.flatMap((level) =>
    placeTargets[level](place, lookup).flatMap(({ target, section }) => {
      const found = routePoliciesOf(patchedRoutes, target, section, lookup);
      return found.flatMap((policy) => holdingsOf(policy, level, { place, older: found[0], lookup }));
    }),
  );

interface Circumstances {
  readonly place: AccessPlace;
  /** The oldest one of the target. */
  readonly older: Policy | undefined;
  readonly lookup: TrafficLookup;
}

/** What is said of a patch of a Gateway. */
const gatewayHolding = (
  common: Omit<TrafficHolding, 'state'>,
  policy: Policy,
  { place, lookup }: Circumstances,
): TrafficHolding => {
  const { some, all } = unpatchedAt(place, lookup);
  const message = some.length > 0 ? { message: unpatchedNote(some) } : {};
  return all
    ? { ...common, ...message, state: 'leftOut' }
    : { ...common, ...message, state: 'inForce', content: contentsAt(policy, `Gateway ${place.gateway}`)[0] };
};

/** In words, for what proxies say of it. */
const whereOf = (level: ir.AccessLevel, { route = '', rule }: AccessPlace): string =>
  level === 'rule' ? `rule ${rule} of ${route}` : route;

function holdingsOf(policy: Policy, level: ir.AccessLevel, circumstances: Circumstances): TrafficHolding[] {
  const { place, older, lookup } = circumstances;
  const isGateways = level === 'gateway';
  const winner =
    isGateways || place.route === undefined ? older : policyOfRule({ route: place.route, rule: place.rule }, lookup);
  return partsOf(policy, isGateways ? 'gateway' : 'route').map((part) => {
    const common = { kind: 'EnvoyPatch', level, group: part, policy: keyOf(policy), value: policy.spec[part] } as const;
    if (older && older !== policy) return { ...common, state: 'conflicted', by: keyOf(older) };
    if (winner && winner !== policy) return { ...common, state: 'overridden', by: keyOf(winner) };
    if (!isUsable(policy)) return { ...common, state: 'leftOut' };
    return isGateways
      ? gatewayHolding(common, policy, circumstances)
      : { ...common, state: 'inForce', content: contentsAt(policy, place.route ?? '', whereOf(level, place))[0] };
  });
}
