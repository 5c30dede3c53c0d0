import { keyOf } from '../../gateway-api/index.ts';
import type { AccessExplainer, AccessHolding, AccessLookup, AccessPlace } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { routePoliciesOf } from '../policies/index.ts';
import { overridableOf } from './demands.ts';
import { demandsPart, invalid, type Level, type Policy, resolvePart } from './parts/index.ts';
import { gatewayTarget } from './settings.ts';
import { accessTargets } from './targets.ts';

interface Target {
  readonly target: string;
  readonly section?: string | undefined;
  readonly level: Level;
  /** All of its requests are answered 500, whatever the policy says. */
  readonly fault?: string;
}

/** What a place is at each level. A level without one does not compile. */
const levels: {
  readonly [L in ir.AccessLevel]: (place: AccessPlace, lookup: AccessLookup) => Target | undefined;
} = {
  gateway: ({ gateway }, { gateways }) =>
    gateway === undefined
      ? undefined
      : {
          target: gatewayTarget(gateway),
          level: 'gateway',
          ...(gateways.isShared(gateway) && { fault: `Gateway ${gateway} shares its proxies, and so cannot have it` }),
        },
  route: ({ route }) => (route === undefined ? undefined : { target: route, level: 'route' }),
  rule: ({ route, rule }) =>
    route === undefined || rule === undefined ? undefined : { target: route, section: rule, level: 'route' },
};

interface FoundLevel extends Target {
  readonly name: ir.AccessLevel;
  /** The oldest first. */
  readonly policies: readonly Policy[];
}

/** Which part of which policy is in force where, and why others are not. */
export const accessExplainer: AccessExplainer = {
  holdingsAt(place, lookup) {
    const found = ir.accessLevels.flatMap((name): FoundLevel[] => {
      const target = levels[name](place, lookup);
      if (!target) return [];
      return [{ ...target, name, policies: routePoliciesOf(accessTargets, target.target, target.section, lookup) }];
    });
    return ir.accessParts.flatMap((part) =>
      found.flatMap((level, index) => holdings(part, level, found.slice(index + 1), lookup)),
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
  { level, policies, fault }: FoundLevel,
  below: readonly FoundLevel[],
  { store }: AccessLookup,
): Pick<AccessHolding, 'state' | 'by' | 'faults'> {
  const resolved = resolvePart(part, { policy, level, store });
  const faults = [
    ...(fault === undefined ? [] : [invalid(fault)]),
    ...(resolved?.faults ?? []),
    ...(resolved?.referenceFaults ?? []),
  ];
  const overriding = overridableOf(policies).includes(part)
    ? below.flatMap((each) => each.policies).find(({ spec }) => spec.overrides?.includes(part))
    : undefined;
  if (overriding) return { state: 'overridden', by: keyOf(overriding), faults };
  return { state: resolved?.value && fault === undefined ? 'inForce' : 'closed', faults };
}
