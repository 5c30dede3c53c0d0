import type { GatewayClassStatus } from '../gateway-api/index.ts';
import { type LiveCondition, mergeConditions } from './merge-conditions.ts';
import { ownConditionTypes } from './own-condition-types.ts';

export interface LiveGatewayClassStatus {
  readonly conditions?: readonly LiveCondition[];
  readonly supportedFeatures?: readonly { readonly name: string }[];
}

/** The GatewayClass's status to write. Features and Accepted go together, as the Gateway API asks. */
export function mergeGatewayClassStatus(
  live: LiveGatewayClassStatus,
  desired: GatewayClassStatus,
  now: string,
): LiveGatewayClassStatus {
  return {
    conditions: mergeConditions(live.conditions ?? [], desired.conditions, ownConditionTypes.gatewayClass, now),
    supportedFeatures: desired.supportedFeatures.map(({ name }) => ({ name })),
  };
}
