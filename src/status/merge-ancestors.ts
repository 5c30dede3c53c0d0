import type { PolicyAncestorStatus } from '../gateway-api/index.ts';
import { type LiveCondition, mergeConditions } from './merge-conditions.ts';
import { mergeEntries } from './merge-entries.ts';
import { ownConditionTypes } from './own-condition-types.ts';

/** An entry of a policy's `status.ancestors` as it stands in the API server. */
export interface LiveAncestorStatus extends Omit<PolicyAncestorStatus, 'conditions'> {
  readonly conditions?: readonly LiveCondition[];
}

/**
 * The `status.ancestors` to write: others' entries unchanged, ours as desired, in their present order. A list that
 * is full (`longest`) takes no more of ours; those that were there first stay.
 */
export function mergeAncestors(
  live: readonly LiveAncestorStatus[],
  desired: readonly PolicyAncestorStatus[],
  controllerName: string,
  now: string,
  longest: number,
): LiveAncestorStatus[] {
  const merged = mergeEntries<LiveAncestorStatus, PolicyAncestorStatus>(live, desired, controllerName, {
    refOf: ({ ancestorRef }) => ancestorRef,
    merge: (entry, desired) => mergeAncestor(entry, desired, now),
  });
  return merged.slice(0, longest);
}

const mergeAncestor = (
  live: LiveAncestorStatus | undefined,
  desired: PolicyAncestorStatus,
  now: string,
): LiveAncestorStatus => ({
  ancestorRef: live?.ancestorRef ?? desired.ancestorRef,
  controllerName: desired.controllerName,
  conditions: mergeConditions(live?.conditions ?? [], desired.conditions, ownConditionTypes.policyAncestor, now),
});
