import type { GatewayStatus, ListenerStatus } from '../gateway-api/index.ts';
import { type LiveCondition, mergeConditions } from './merge-conditions.ts';
import { ownConditionTypes } from './own-condition-types.ts';

/** What we read and write of a Gateway's status; other fields of it are left alone. */
export interface LiveGatewayStatus {
  readonly addresses?: GatewayStatus['addresses'];
  readonly conditions?: readonly LiveCondition[];
  readonly listeners?: readonly LiveListenerStatus[];
}

export interface LiveListenerStatus extends Omit<ListenerStatus, 'conditions'> {
  readonly conditions: readonly LiveCondition[];
}

/** The Gateway's status to write. Listeners are the wished ones in wished order; a listener that is gone takes all it had. */
export function mergeGatewayStatus(live: LiveGatewayStatus, wished: GatewayStatus, now: string): LiveGatewayStatus {
  const liveListeners = new Map(live.listeners?.map((listener) => [listener.name, listener]));
  return {
    addresses: wished.addresses.map(({ type, value }) => ({ type, value })),
    conditions: mergeConditions(live.conditions ?? [], wished.conditions, ownConditionTypes.gateway, now),
    listeners: wished.listeners.map((listener) => mergeListener(liveListeners.get(listener.name), listener, now)),
  };
}

function mergeListener(live: LiveListenerStatus | undefined, wished: ListenerStatus, now: string): LiveListenerStatus {
  return {
    name: wished.name,
    supportedKinds: wished.supportedKinds.map(({ group, kind }) => ({ group, kind })),
    attachedRoutes: wished.attachedRoutes,
    conditions: mergeConditions(live?.conditions ?? [], wished.conditions, ownConditionTypes.listener, now),
  };
}
