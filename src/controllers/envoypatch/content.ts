import { type PatchPart, patchFaults } from '../../envoy-patch/index.ts';
import type { ConditionFault } from '../../graph/model/index.ts';
import { familyOf, type Policy } from './targets.ts';

/** What each sort of targets is patched by, and how users call these. */
const families = {
  backend: { parts: ['cluster', 'httpProtocolOptions'], kinds: 'Services, ServiceImports and XBackends' },
  route: { parts: ['routeAction'], kinds: 'HTTPRoutes and GRPCRoutes' },
  gateway: { parts: ['listener', 'connectionManager'], kinds: 'Gateways' },
} as const satisfies Record<
  ReturnType<typeof familyOf>,
  { readonly parts: readonly PatchPart[]; readonly kinds: string }
>;

type Family = keyof typeof families;

/** The parts that a policy has, of one sort of targets or of all. */
export const partsOf = ({ spec }: Policy, family?: Family): PatchPart[] =>
  Object.entries(families)
    .filter(([name]) => family === undefined || name === family)
    .flatMap(([, { parts }]) => parts.filter((part) => spec[part] !== undefined));

/** What is wrong with what a policy says. Nothing of it is in force then. */
export const contentFaults = (policy: Policy): ConditionFault[] =>
  [...mismatches(policy), ...partsOf(policy).flatMap((part) => patchFaults(part, policy.spec[part]))].map(
    (message) => ({ reason: 'Invalid', message }),
  );

/** Parts without targets of their own, and targets without parts. */
function mismatches(policy: Policy): string[] {
  const targeted = Map.groupBy(policy.spec.targetRefs, familyOf);
  return (Object.keys(families) as Family[]).flatMap((family) => {
    const { parts, kinds } = families[family];
    const own = partsOf(policy, family);
    const [first] = targeted.get(family) ?? [];
    if (!first && own.length > 0)
      return [`${own.join(' and ')} of a patch ${own.length > 1 ? 'are' : 'is'} for ${kinds}: no targetRef names one`];
    return first && own.length === 0
      ? [`targetRef ${first.name} is a ${first.kind}, which is patched by ${parts.join(' or ')}: write one of these`]
      : [];
  });
}

const usable = new WeakMap<Policy, boolean>();

/** Objects do not change, so it is found out once for each. */
export function isUsable(policy: Policy): boolean {
  const known = usable.get(policy) ?? contentFaults(policy).length === 0;
  usable.set(policy, known);
  return known;
}
