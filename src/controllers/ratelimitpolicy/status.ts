import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { combineFaults, conditionOf } from '../../graph/model/index.ts';
import { conditionsAt, findTarget, gatewaysOfTargets } from '../policies/index.ts';
import { bucketsOf, type Policy } from './bucket.ts';
import { uncountedNote } from './uncounted.ts';

/** The same at each Gateway that the policy is for, and those of its routes. */
export function rateLimitPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const faults = [
    ...policy.spec.targetRefs.flatMap((ref) => {
      const found = findTarget(policy, ref, context);
      return 'fault' in found ? [found.fault] : [];
    }),
    ...bucketsOf(policy).flatMap((bucket) => bucket.faults),
  ];
  const accepted = conditionOf('Accepted', policy.metadata.generation ?? 0, combineFaults(faults), {
    message: uncountedNote(policy, context) ?? '',
  });
  return conditionsAt(gatewaysOfTargets(policy, context), [accepted]);
}
