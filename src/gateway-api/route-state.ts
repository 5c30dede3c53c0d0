import { isProblem } from './condition-severity.ts';
import type { RouteParentStatus } from './conditions.ts';

/** How a route is: `failed` if a parent does not accept it, or there is none; `degraded` if rules were dropped, or references do not resolve. */
export type RouteState = 'served' | 'degraded' | 'failed';

/** Whether the condition is True at every parent, and there is one. */
export const allParents = (parents: readonly RouteParentStatus[], type: string): boolean =>
  parents.length > 0 &&
  parents.every(({ conditions = [] }) =>
    conditions.some((condition) => condition.type === type && condition.status === 'True'),
  );

export function routeState(parents: readonly RouteParentStatus[]): RouteState {
  if (!allParents(parents, 'Accepted')) return 'failed';
  return parents.some(({ conditions }) => conditions.some(isProblem)) ? 'degraded' : 'served';
}
