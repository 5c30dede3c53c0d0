import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import type { Store } from '../engine/index.ts';
import {
  compareAge,
  describeOwner,
  type Fault,
  type ListenerOwnerObject,
  type ListenerSpec,
  ownerOfListeners,
  type SettledListener,
  type SettledListenerSet,
} from '../model/index.ts';
import { settleListener } from './listener.ts';
import { conflictWithin, PortClaims } from './listener-conflicts.ts';
import { notAllowed } from './listener-set.ts';

export interface SettledListeners {
  /** The Gateway's own. */
  readonly own: readonly SettledListener[];
  /** By key, in the order of their precedence. */
  readonly sets: ReadonlyMap<string, SettledListenerSet>;
}

/**
 * Settles the listeners of a Gateway and of the ListenerSets that name it together, because they can be in each other's
 * way: the Gateway's go first, then those of older sets. Source: ListenerSet.spec.listeners, on precedence.
 */
export function settleListeners(
  { gateway, shared }: { readonly gateway: ObjectByKind['Gateway']; readonly shared: boolean },
  sets: readonly ObjectByKind['ListenerSet'][],
  store: Store,
): SettledListeners {
  const claims = new PortClaims();
  const settle = (owner: ListenerOwnerObject, spec: ListenerSpec, conflict: Fault | undefined) => {
    if (!conflict || owner === gateway)
      claims.claim(spec, `listener ${spec.name} of ${describeOwner(ownerOfListeners(owner))}`);
    return settleListener({ gateway, owner, shared }, spec, conflict, store);
  };
  const { listeners } = gateway.spec;
  const own = listeners.map((spec) => settle(gateway, spec, conflictWithin(spec, listeners)));
  const settled = [...sets].sort(compareAge).map((object): SettledListenerSet => {
    const key = keyOf(object);
    const fault = notAllowed(gateway, object, store);
    if (fault) return { key, object, fault, listeners: [] };
    return { key, object, listeners: object.spec.listeners.map((spec) => settle(object, spec, claims.conflict(spec))) };
  });
  return { own, sets: new Map(settled.map((set) => [set.key, set])) };
}
