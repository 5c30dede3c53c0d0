import { keyOf } from '../../gateway-api/index.ts';
import type { AccessExplainer, AccessHolding, AccessLookup, AccessPlace } from '../../graph/engine/index.ts';
import { type CrowdedListener, type FullListener, parseRouteKey, type RawListener } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { type PlaceTarget, placeTargets, routePoliciesOf, targetsOfListener } from '../policies/index.ts';
import { holderOf, overridesOf, switchedOffOf } from './demands.ts';
import { isConnectionRoute, isOfConnections } from './edges.ts';
import { demandsPart, hasPathRules, invalid, type Level, type Policy, resolvePart } from './parts/index.ts';
import { crowdingFault, isSame, noRoomFault, rawPathsFault } from './raw-paths.ts';
import { accessTargets } from './targets.ts';

/** Those of some listeners of its Gateway that a place is at. */
function atPlace<L extends Pick<RawListener, 'owner' | 'name'>>(
  listeners: readonly L[],
  { gateway, listener, route }: AccessPlace,
  { routes }: AccessLookup,
): readonly L[] {
  if (listeners.length === 0 || gateway === undefined) return [];
  if (route !== undefined) {
    const attached = routes.listenersOf(route, gateway);
    return listeners.filter((each) => attached.some((other) => isSame(other, each)));
  }
  if (!listener) return listeners;
  return listeners.filter((each) => isSame({ ...listener, name: listener.name ?? each.name }, each));
}

/** The listeners of a place at which rules by path do not hold. */
const rawPathsOf = (place: AccessPlace, lookup: AccessLookup): readonly RawListener[] =>
  atPlace(place.gateway === undefined ? [] : lookup.gateways.rawListenersOf(place.gateway), place, lookup);

/** The listeners of a place at which the policies of one level are not in force. */
function crowdedOf(level: FoundLevel, place: AccessPlace, lookup: AccessLookup): readonly CrowdedListener[] {
  const { gateway } = place;
  if (gateway === undefined) return [];
  const isOf = (listener: CrowdedListener) =>
    targetsOfListener(gateway, listener).some(
      (each) => each.level === level.name && each.target === level.target && each.section === level.section,
    );
  const crowded = lookup.gateways.crowdedListenersOf(gateway);
  return atPlace(
    crowded.filter((each) => each.levels.some((name) => name === level.name) && isOf(each)),
    place,
    lookup,
  );
}

/** The listeners of a place at which there is no room for a demand that moves. */
const fullOf = (place: AccessPlace, lookup: AccessLookup): readonly FullListener[] =>
  atPlace(place.gateway === undefined ? [] : lookup.gateways.fullListenersOf(place.gateway), place, lookup);

interface FoundLevel extends PlaceTarget {
  readonly level: Level;
  readonly rawPaths?: readonly RawListener[];
  readonly crowded?: readonly CrowdedListener[];
  readonly full?: readonly FullListener[];
  readonly name: ir.AccessLevel;
  /** The oldest first. */
  readonly policies: readonly Policy[];
}

/** Which part of which policy is in force where, and why others are not. */
export const accessExplainer: AccessExplainer = {
  holdingsAt(place, lookup) {
    const found = ir.accessLevels.flatMap((name) =>
      placeTargets[name](place, lookup).map((target): FoundLevel => {
        const policies = routePoliciesOf(accessTargets, target.target, target.section, lookup);
        return { ...target, name, level: name === 'route' || name === 'rule' ? 'route' : 'gateway', policies };
      }),
    );
    return ir.accessParts.flatMap((part) =>
      found.flatMap((level) =>
        holdings(
          part,
          {
            ...level,
            rawPaths: rawPathsOf(place, lookup),
            crowded: crowdedOf(level, place, lookup),
            full: level.level === 'gateway' ? fullOf(place, lookup) : [],
          },
          found.filter(({ name }) => ir.accessLevels.indexOf(name) > ir.accessLevels.indexOf(level.name)),
          lookup,
        ),
      ),
    );
  },
};

function holdings(
  part: ir.AccessPart,
  level: FoundLevel,
  below: readonly FoundLevel[],
  lookup: AccessLookup,
): AccessHolding[] {
  const holder = holderOf(part, level.policies);
  if (!holder) return [];
  const others = level.policies.filter((policy) => policy !== holder && demandsPart(policy.spec, part));
  const common = { level: level.name, part };
  const by = keyOf(holder);
  return [
    { ...common, policy: by, ...stateOf(part, holder, level, below, lookup) },
    ...others.map((policy) => ({ ...common, policy: keyOf(policy), state: 'conflicted' as const, by, faults: [] })),
  ];
}

function stateOf(
  part: ir.AccessPart,
  policy: Policy,
  { level, target, policies, rawPaths = [], crowded = [], full = [] }: FoundLevel,
  below: readonly FoundLevel[],
  { store }: AccessLookup,
): Pick<AccessHolding, 'state' | 'asks' | 'by' | 'faults'> {
  const resolved = resolvePart(part, { policy, level, store });
  const raw = part === 'authorization' && hasPathRules(policy.spec) ? rawPathsFault(rawPaths) : undefined;
  const late = crowdingFault(crowded);
  const isBeyond = level === 'route' && isConnectionRoute(parseRouteKey(target).kind) && !isOfConnections(part);
  const beyond = isBeyond ? invalid('connections cannot meet it, so all of them are closed') : undefined;
  const here = [raw, late].flatMap((fault) => fault ?? []);
  const faults = [...(resolved?.faults ?? []), ...(resolved?.referenceFaults ?? []), ...here];
  const lower = below.flatMap((each) => each.policies);
  const overriding = switchedOffOf(policies, overridesOf(lower)).includes(part)
    ? lower.find(({ spec }) => spec.overrides?.includes(part))
    : undefined;
  // What comes too late cannot be overridden either.
  if (beyond) return { state: 'closed', faults: [...faults, beyond] };
  if (overriding && !late) return { state: 'overridden', by: keyOf(overriding), faults };
  if (!resolved?.value || here.length > 0) return { state: 'closed', faults };
  const noRoom = noRoomFault(full, (each) => each === part) ?? [];
  const asks = ir.asksServer(part, { [part]: resolved.value });
  return { state: 'inForce', ...(asks && { asks: true }), faults: [faults, noRoom].flat() };
}
