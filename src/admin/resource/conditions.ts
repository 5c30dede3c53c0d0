import type { Condition } from '../../gateway-api/index.ts';

/** Whether the condition of this type is True. One that is missing is not. */
export const isTrue = (conditions: readonly Condition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

/** Whether the condition of this type is False. One that is missing is not. */
export const isFalse = (conditions: readonly Condition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'False');

/** How a listener fares: `failed` serves nothing, `warning` serves with something missing. */
export type ListenerState = 'ready' | 'warning' | 'failed';

/** From the conditions of a listener (GEP-1364). */
export function listenerState(conditions: readonly Condition[]): ListenerState {
  if (isFalse(conditions, 'Accepted') || isFalse(conditions, 'Programmed')) return 'failed';
  return ['Accepted', 'Programmed', 'ResolvedRefs'].every((type) => isTrue(conditions, type)) ? 'ready' : 'warning';
}
