import type { GatewayStatus, ListenerSetStatus, ListenerStatus } from '../gateway-api/index.ts';
import { type LiveCondition, mergeConditions } from './merge-conditions.ts';
import { ownConditionTypes } from './own-condition-types.ts';

/** What we read and write of the status of a ListenerSet; other fields of it are left alone. */
export interface LiveListenerSetStatus {
  readonly conditions?: readonly LiveCondition[];
  readonly listeners?: readonly LiveListenerStatus[];
}

/** The same of a Gateway. */
export interface LiveGatewayStatus extends LiveListenerSetStatus {
  readonly addresses?: GatewayStatus['addresses'];
  readonly attachedListenerSets?: number;
}

export interface LiveListenerStatus extends Omit<ListenerStatus, 'conditions'> {
  readonly conditions: readonly LiveCondition[];
}

/** The Gateway's status to write. Listeners are the wished ones in wished order; a listener that is gone takes all it had. */
export function mergeGatewayStatus(live: LiveGatewayStatus, wished: GatewayStatus, now: string): LiveGatewayStatus {
  return {
    addresses: wished.addresses.map(({ type, value }) => ({ type, value })),
    conditions: mergeConditions(live.conditions ?? [], wished.conditions, ownConditionTypes.gateway, now),
    listeners: mergeListeners(live, wished, now),
    ...(wished.attachedListenerSets !== undefined && { attachedListenerSets: wished.attachedListenerSets }),
  };
}

/** The ListenerSet's status to write. */
export const mergeListenerSetStatus = (
  live: LiveListenerSetStatus,
  wished: ListenerSetStatus,
  now: string,
): LiveListenerSetStatus => ({
  conditions: mergeConditions(live.conditions ?? [], wished.conditions, ownConditionTypes.listenerSet, now),
  listeners: mergeListeners(live, wished, now),
});

function mergeListeners(
  live: LiveListenerSetStatus,
  wished: { readonly listeners: readonly ListenerStatus[] },
  now: string,
): LiveListenerStatus[] {
  const liveListeners = new Map(live.listeners?.map((listener) => [listener.name, listener]));
  return wished.listeners.map((listener) => mergeListener(liveListeners.get(listener.name), listener, now));
}

function mergeListener(live: LiveListenerStatus | undefined, wished: ListenerStatus, now: string): LiveListenerStatus {
  return {
    name: wished.name,
    supportedKinds: wished.supportedKinds.map(({ group, kind }) => ({ group, kind })),
    attachedRoutes: wished.attachedRoutes,
    conditions: mergeConditions(live?.conditions ?? [], wished.conditions, ownConditionTypes.listener, now),
  };
}
