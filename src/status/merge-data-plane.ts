import type { DataPlaneStatus } from '../gateway-api/index.ts';
import { type LiveCondition, mergeConditions } from './merge-conditions.ts';
import { ownConditionTypes } from './own-condition-types.ts';

export interface LiveDataPlaneStatus {
  readonly controllerName?: string;
  readonly attachedGateways?: number;
  readonly conditions?: readonly LiveCondition[];
}

/** The DataPlane's status to write. */
export const mergeDataPlaneStatus = (
  live: LiveDataPlaneStatus,
  { controllerName, attachedGateways, conditions }: DataPlaneStatus,
  now: string,
): LiveDataPlaneStatus => ({
  controllerName,
  attachedGateways,
  conditions: mergeConditions(live.conditions ?? [], conditions, ownConditionTypes.dataPlane, now),
});
