import { type Condition, worstOf } from '../../gateway-api/index.ts';

/** Whether the condition of this type is True. One that is missing is not. */
export const isTrue = (conditions: readonly Condition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

/** How a listener fares: `failed` serves nothing, `warning` serves with something missing. */
export type ListenerState = 'ready' | 'warning' | 'failed';

/** From the conditions of a listener (GEP-1364). */
export function listenerState(conditions: readonly Condition[]): ListenerState {
  const severity = worstOf(conditions)?.severity;
  if (severity === 'error') return 'failed';
  const isKnown = ['Accepted', 'Programmed', 'ResolvedRefs'].every((type) => isTrue(conditions, type));
  return isKnown && severity !== 'degraded' ? 'ready' : 'warning';
}
