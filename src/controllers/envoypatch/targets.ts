import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import type { StatusContext } from '../../graph/engine/index.ts';
import type { ConditionFault } from '../../graph/model/index.ts';
import { backendTargets, findTarget, routePolicyOf, routeTargets, targetFaults } from '../policies/index.ts';

export type Policy = ObjectByKind['EnvoyPatch'];
type TargetRef = Policy['spec']['targetRefs'][number];

/** What a patch is laid over, by the kind of its target. */
type Family = 'backend' | 'route' | 'gateway';

/** What EnvoyPatches are for: backends, and what leads to them. */
export const patchedBackends = backendTargets('EnvoyPatch');
export const patchedRoutes = routeTargets('EnvoyPatch');

const gatewayGroup = 'gateway.networking.k8s.io';

/** Other kinds are taken for backends, of which only some are known. */
export function familyOf({ group, kind }: Pick<TargetRef, 'group' | 'kind'>): Family {
  if (group === gatewayGroup && (kind === 'HTTPRoute' || kind === 'GRPCRoute')) return 'route';
  return group === gatewayGroup && kind === 'Gateway' ? 'gateway' : 'backend';
}

/** The same policy with the targets of one family alone. */
export const targetingOnly = (policy: Policy, ...families: readonly Family[]): Policy => ({
  ...policy,
  spec: { ...policy.spec, targetRefs: policy.spec.targetRefs.filter((ref) => families.includes(familyOf(ref))) },
});

/** A target among routes and Gateways, as `findTarget` takes it. */
type RouteRef = Omit<TargetRef, 'kind'> & { readonly kind: 'HTTPRoute' | 'GRPCRoute' | 'Gateway' };

/** A policy as far as it is for routes and Gateways. */
export const ofRoutes = (policy: Policy) => ({
  ...policy,
  spec: { targetRefs: policy.spec.targetRefs.filter((ref): ref is RouteRef => familyOf(ref) !== 'backend') },
});

/** What is wrong with a policy's targets: some that are not there, or that an older policy has already. */
export const faultsOfTargets = (policy: Policy, context: StatusContext): ConditionFault[] => [
  ...targetFaults(patchedBackends, targetingOnly(policy, 'backend'), context),
  ...ofRoutes(policy).spec.targetRefs.flatMap((ref) => routeFault(policy, ref, context) ?? []),
];

function routeFault(policy: Policy, ref: RouteRef, context: StatusContext): ConditionFault | undefined {
  const found = findTarget(ofRoutes(policy), ref, context);
  if ('fault' in found) return found.fault;
  const winner = routePolicyOf(patchedRoutes, found.target, found.section, context);
  if (!winner || keyOf(winner) === keyOf(policy)) return undefined;
  return {
    reason: 'Conflicted',
    message: `${found.where} has the older EnvoyPatch ${keyOf(winner)} already: change or remove one of them`,
  };
}
