import type { Condition } from '../gateway-api/index.ts';

/** A condition as it stands in the API server. */
export interface LiveCondition extends Omit<Condition, 'observedGeneration'> {
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

/** The longest message the API server takes (metav1.Condition). */
const MAX_MESSAGE_LENGTH = 32_768;

/**
 * The conditions to write: live ones in their order, ours replaced by what we wish, then what is new.
 *
 * `ours` holds the types that we answer for: those of them that are no longer wished go, and every other type is
 * somebody else's and stays (GEP-1364 lets several controllers set conditions on one object). `lastTransitionTime`
 * moves only when `status` does, as metav1.Condition says, so an unchanged wish gives equal conditions.
 */
export function mergeConditions(
  live: readonly LiveCondition[],
  wished: readonly Condition[],
  ours: ReadonlySet<string>,
  now: string,
): LiveCondition[] {
  const rest = new Map(wished.map((condition) => [condition.type, condition]));
  const merged: LiveCondition[] = [];
  for (const condition of live) {
    const wish = rest.get(condition.type);
    if (wish !== undefined) merged.push(written(wish, condition, now));
    else if (!ours.has(condition.type)) merged.push(condition);
    rest.delete(condition.type);
  }
  for (const wish of rest.values()) merged.push(written(wish, undefined, now));
  return merged;
}

function written(wish: Condition, live: LiveCondition | undefined, now: string): LiveCondition {
  return {
    type: wish.type,
    status: wish.status,
    reason: wish.reason,
    message: wish.message.slice(0, MAX_MESSAGE_LENGTH),
    observedGeneration: wish.observedGeneration,
    lastTransitionTime: live?.status === wish.status ? live.lastTransitionTime : now,
  };
}
