import { type Condition, objectKey } from '../../gateway-api/index.ts';
import { type Change, type Marking, type Store, versionsOf } from '../../graph/engine/index.ts';
import { type ConditionFault, combineFaults, conditionOf, routeKey } from '../../graph/model/index.ts';
import { markRoutesTo } from '../../graph/routes/index.ts';
import type { TargetKind, TokenPolicyObject } from '../ai/index.ts';

/** A policy, and the routes of its targets. */
export function markTokenPolicy(change: Change<'TokenPolicy'>, marking: Marking): void {
  const { dirty } = marking;
  dirty.markStatus('TokenPolicy', change.key);
  for (const { metadata, spec } of versionsOf(change)) {
    for (const { kind, name } of spec.targetRefs) {
      const key = objectKey(metadata.namespace ?? '', name);
      if (kind === 'HTTPRoute') dirty.routes.add(routeKey('HTTPRoute', key));
      else markRoutesTo(key, marking);
    }
  }
}

/** The conditions of a TokenPolicy. */
export function tokenPolicyConditions(policy: TokenPolicyObject, store: Store): readonly Condition[] {
  const faults = policy.spec.targetRefs.flatMap(({ kind, name }): ConditionFault[] => {
    const key = objectKey(policy.metadata.namespace ?? '', name);
    if (store.find(kind as TargetKind, key)) return [];
    return [{ reason: 'TargetNotFound', message: `${kind} ${key} does not exist: create it, or name another` }];
  });
  return [conditionOf('Accepted', policy.metadata.generation ?? 0, combineFaults(faults))];
}
