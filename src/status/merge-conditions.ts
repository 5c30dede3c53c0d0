import type { Condition } from '../gateway-api/index.ts';

/** A condition as it stands in the API server. */
export interface LiveCondition extends Omit<Condition, 'observedGeneration'> {
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

/** The longest message the API server takes (metav1.Condition). */
const MAX_MESSAGE_LENGTH = 32_768;

/**
 * The conditions to write: live ones in their order, ours replaced by the desired ones, then what is new.
 *
 * `ours` holds the types that we answer for: those of them that are no longer desired go, and every other type is
 * another controller's and stays (GEP-1364 lets several controllers set conditions on one object). `lastTransitionTime`
 * moves only when `status` does, as metav1.Condition says, so an unchanged desired status gives equal conditions.
 */
export function mergeConditions(
  live: readonly LiveCondition[],
  desired: readonly Condition[],
  ours: ReadonlySet<string>,
  now: string,
): LiveCondition[] {
  const rest = new Map(desired.map((condition) => [condition.type, condition]));
  const merged: LiveCondition[] = [];
  for (const condition of live) {
    const desired = rest.get(condition.type);
    if (desired !== undefined) merged.push(written(desired, condition, now));
    else if (!ours.has(condition.type)) merged.push(condition);
    rest.delete(condition.type);
  }
  for (const desired of rest.values()) merged.push(written(desired, undefined, now));
  return merged;
}

function written(desired: Condition, live: LiveCondition | undefined, now: string): LiveCondition {
  return {
    type: desired.type,
    status: desired.status,
    reason: desired.reason,
    message: desired.message.slice(0, MAX_MESSAGE_LENGTH),
    observedGeneration: desired.observedGeneration,
    lastTransitionTime: live?.status === desired.status ? live.lastTransitionTime : now,
  };
}
