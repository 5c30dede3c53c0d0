import type { PlainStatus } from '../gateway-api/index.ts';
import { type LiveCondition, mergeConditions } from './merge-conditions.ts';
import { ownConditionTypes } from './own-condition-types.ts';

export interface LivePlainStatus {
  readonly controllerName?: string;
  readonly conditions?: readonly LiveCondition[];
}

/** The status to write of a kind whose status is conditions alone. */
export const mergePlainStatus = (
  live: LivePlainStatus,
  { controllerName, conditions }: PlainStatus,
  now: string,
): LivePlainStatus => ({
  controllerName,
  conditions: mergeConditions(live.conditions ?? [], conditions, ownConditionTypes.plain, now),
});
