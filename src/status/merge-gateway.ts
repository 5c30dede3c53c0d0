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

/** The Gateway's status to write. Listeners are the desired ones in their order; a listener that is gone takes all it had. */
export function mergeGatewayStatus(live: LiveGatewayStatus, desired: GatewayStatus, now: string): LiveGatewayStatus {
  return {
    addresses: desired.addresses.map(({ type, value, routability }) => ({
      type,
      value,
      ...(routability !== undefined && { routability }),
    })),
    conditions: mergeConditions(live.conditions ?? [], desired.conditions, ownConditionTypes.gateway, now),
    listeners: mergeListeners(live, desired, now),
    ...(desired.attachedListenerSets !== undefined && { attachedListenerSets: desired.attachedListenerSets }),
  };
}

/** The ListenerSet's status to write. */
export const mergeListenerSetStatus = (
  live: LiveListenerSetStatus,
  desired: ListenerSetStatus,
  now: string,
): LiveListenerSetStatus => ({
  conditions: mergeConditions(live.conditions ?? [], desired.conditions, ownConditionTypes.listenerSet, now),
  listeners: mergeListeners(live, desired, now),
});

function mergeListeners(
  live: LiveListenerSetStatus,
  desired: { readonly listeners: readonly ListenerStatus[] },
  now: string,
): LiveListenerStatus[] {
  const liveListeners = new Map(live.listeners?.map((listener) => [listener.name, listener]));
  return desired.listeners.map((listener) => mergeListener(liveListeners.get(listener.name), listener, now));
}

function mergeListener(live: LiveListenerStatus | undefined, desired: ListenerStatus, now: string): LiveListenerStatus {
  return {
    name: desired.name,
    supportedKinds: desired.supportedKinds.map(({ group, kind }) => ({ group, kind })),
    attachedRoutes: desired.attachedRoutes,
    conditions: mergeConditions(live?.conditions ?? [], desired.conditions, ownConditionTypes.listener, now),
  };
}
