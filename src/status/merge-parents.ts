import type { ParentReference, RouteParentStatus } from '../gateway-api/index.ts';
import { type LiveCondition, mergeConditions } from './merge-conditions.ts';
import { ownConditionTypes } from './own-condition-types.ts';

/** An entry of a route's `status.parents` as it stands in the API server. */
export interface LiveParentStatus extends Omit<RouteParentStatus, 'conditions'> {
  readonly conditions?: readonly LiveCondition[];
}

/**
 * The `status.parents` to write: others' entries as they are, ours as wished, in the order they stand in. Entries of
 * ours for parents that are no longer wished are removed, with all that is in them.
 */
export function mergeParents(
  live: readonly LiveParentStatus[],
  wished: readonly RouteParentStatus[],
  controllerName: string,
  now: string,
): LiveParentStatus[] {
  const rest = new Map(wished.map((parent) => [identityOf(parent.parentRef), parent]));
  const merged: LiveParentStatus[] = [];
  for (const entry of live) {
    if (entry.controllerName !== controllerName) {
      merged.push(entry);
      continue;
    }
    const identity = identityOf(entry.parentRef);
    const wish = rest.get(identity);
    if (wish !== undefined) merged.push(mergeParent(entry, wish, now));
    rest.delete(identity);
  }
  for (const wish of rest.values()) merged.push(mergeParent(undefined, wish, now));
  return merged;
}

function mergeParent(live: LiveParentStatus | undefined, wish: RouteParentStatus, now: string): LiveParentStatus {
  return {
    // The live reference has the defaults that the API server filled in; writing ours would differ from it for ever.
    parentRef: live?.parentRef ?? withoutUndefined(wish.parentRef),
    controllerName: wish.controllerName,
    conditions: mergeConditions(live?.conditions ?? [], wish.conditions, ownConditionTypes.routeParent, now),
  };
}

/** Equal for references that mean the same parent: group and kind have defaults in the API's schema. */
const identityOf = ({ group, kind, namespace, name, sectionName, port }: ParentReference): string =>
  JSON.stringify([
    group ?? 'gateway.networking.k8s.io',
    kind ?? 'Gateway',
    namespace ?? '',
    name,
    sectionName ?? '',
    port ?? 0,
  ]);

const withoutUndefined = (reference: ParentReference): ParentReference =>
  Object.fromEntries(
    Object.entries(reference).filter(([, value]) => value !== undefined),
  ) as unknown as ParentReference;
