import { keyOf } from '../../gateway-api/index.ts';
import type { ReferenceLookup } from '../../graph/engine/index.ts';
import type { ConditionFault } from '../../graph/model/index.ts';
import { limitTargets, routePoliciesOf } from '../policies/index.ts';
import { type Policy, phaseOf } from './bucket.ts';
import { asksService } from './service.ts';

/** All policies of a target, the oldest first. */
export const policiesAt = (
  target: string,
  section: string | undefined,
  lookup: Pick<ReferenceLookup, 'store' | 'edges'>,
): readonly Policy[] => routePoliciesOf(limitTargets, target, section, lookup);

/** Of policies of one target: the one that asks a service already, where only one of a phase can. */
export const olderOf = (policy: Policy, policies: readonly Policy[]): Policy | undefined => {
  if (!asksService(policy)) return undefined;
  const first = policies.find((each) => asksService(each) && phaseOf(each) === phaseOf(policy));
  return first && keyOf(first) !== keyOf(policy) ? first : undefined;
};

/** What is wrong with a policy at a target that has an older one. `where`: the target, as words. */
export const conflictWith = (older: Policy, where: string): ConditionFault => ({
  reason: 'Conflicted',
  message: `${where} asks the service of the older RateLimitPolicy ${keyOf(older)} already, and there is one for each target and phase: change or remove one of them`,
});
