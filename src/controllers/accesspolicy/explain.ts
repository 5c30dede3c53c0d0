import { keyOf } from '../../gateway-api/index.ts';
import type { AccessExplainer, AccessHolding, AccessLookup, AccessPlace } from '../../graph/engine/index.ts';
import type { RawListener } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { type PlaceTarget, placeTargets, routePoliciesOf } from '../policies/index.ts';
import { overridableOf } from './demands.ts';
import { demandsPart, hasPathRules, type Level, type Policy, resolvePart } from './parts/index.ts';
import { isSame, rawPathsFault } from './raw-paths.ts';
import { accessTargets } from './targets.ts';

/** The listeners of a place at which rules by path do not hold. */
function rawPathsOf(
  { gateway, listener, route }: AccessPlace,
  { gateways, routes }: AccessLookup,
): readonly RawListener[] {
  const raw = gateway === undefined ? [] : gateways.rawListenersOf(gateway);
  if (raw.length === 0 || gateway === undefined) return [];
  if (route !== undefined) {
    const attached = routes.listenersOf(route, gateway);
    return raw.filter((each) => attached.some((other) => isSame(other, each)));
  }
  return listener ? raw.filter((each) => isSame({ ...listener, name: listener.name ?? each.name }, each)) : raw;
}

interface FoundLevel extends PlaceTarget {
  readonly level: Level;
  readonly rawPaths?: readonly RawListener[];
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
          { ...level, rawPaths: rawPathsOf(place, lookup) },
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
  const [holder, ...others] = level.policies.filter(({ spec }) => demandsPart(spec, part));
  if (!holder) return [];
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
  { level, policies, rawPaths = [] }: FoundLevel,
  below: readonly FoundLevel[],
  { store }: AccessLookup,
): Pick<AccessHolding, 'state' | 'by' | 'faults'> {
  const resolved = resolvePart(part, { policy, level, store });
  const raw = part === 'authorization' && hasPathRules(policy.spec) ? rawPathsFault(rawPaths) : undefined;
  const faults = [...(resolved?.faults ?? []), ...(resolved?.referenceFaults ?? []), ...(raw ? [raw] : [])];
  const overriding = overridableOf(policies).includes(part)
    ? below.flatMap((each) => each.policies).find(({ spec }) => spec.overrides?.includes(part))
    : undefined;
  if (overriding) return { state: 'overridden', by: keyOf(overriding), faults };
  return { state: resolved?.value && !raw ? 'inForce' : 'closed', faults };
}
