import type { ParentReference, RouteParentStatus } from '../gateway-api/index.ts';
import { type LiveCondition, mergeConditions } from './merge-conditions.ts';
import { mergeEntries } from './merge-entries.ts';
import { ownConditionTypes } from './own-condition-types.ts';

/** An entry of a route's `status.parents` as it stands in the API server. */
export interface LiveParentStatus extends Omit<RouteParentStatus, 'conditions'> {
  readonly conditions?: readonly LiveCondition[];
}

/**
 * The `status.parents` to write: others' entries unchanged, ours as desired, in their present order. Entries of
 * ours for parents that are no longer desired are removed, with all that is in them.
 */
export function mergeParents(
  live: readonly LiveParentStatus[],
  desired: readonly RouteParentStatus[],
  controllerName: string,
  now: string,
): LiveParentStatus[] {
  return mergeEntries<LiveParentStatus, RouteParentStatus>(live, desired, controllerName, {
    refOf: ({ parentRef }) => parentRef,
    merge: (entry, desired) => mergeParent(entry, desired, now),
  });
}

function mergeParent(live: LiveParentStatus | undefined, desired: RouteParentStatus, now: string): LiveParentStatus {
  return {
    // The live reference has the defaults that the API server filled in; writing ours would differ from it for ever.
    parentRef: live?.parentRef ?? withoutUndefined(desired.parentRef),
    controllerName: desired.controllerName,
    conditions: mergeConditions(live?.conditions ?? [], desired.conditions, ownConditionTypes.routeParent, now),
  };
}

const withoutUndefined = (reference: ParentReference): ParentReference =>
  Object.fromEntries(
    Object.entries(reference).filter(([, value]) => value !== undefined),
  ) as unknown as ParentReference;
