import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { combineFaults, conditionOf } from '../../graph/model/index.ts';
import { findTarget, gatewaysOfTargets } from '../policies/index.ts';
import { conflictWith, olderOf, policiesAt } from './at-target.ts';
import { bucketsOf, contentsOf, type Policy } from './bucket.ts';
import { serviceOf } from './service.ts';
import { uncountedNote } from './uncounted.ts';

/** At each Gateway that the policy is for, and those of its routes: the same, but for what its proxies reject. */
export function rateLimitPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const faults = [
    ...policy.spec.targetRefs.flatMap((ref) => {
      const found = findTarget(policy, ref, context);
      if ('fault' in found) return [found.fault];
      const older = olderOf(policy, policiesAt(found.target, found.section, context));
      return older ? [conflictWith(older, found.where)] : [];
    }),
    ...bucketsOf(policy, context).flatMap((bucket) => bucket.faults),
  ];
  const message = uncountedNote(policy, context) ?? '';
  const rejectionOf = context.filters.rejectionOf(contentsOf(policy, context));
  const generation = policy.metadata.generation ?? 0;
  const service = serviceOf(policy, context);
  const references = service ? [conditionOf('ResolvedRefs', generation, service.fault)] : [];
  return new Map(
    [...gatewaysOfTargets(policy, context)].map((gateway) => {
      const rejection = rejectionOf(gateway);
      const all = combineFaults([...faults, ...(rejection ? [rejection] : [])]);
      return [gateway, [conditionOf('Accepted', generation, all, { message }), ...references]];
    }),
  );
}
