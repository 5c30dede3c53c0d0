import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import type { Store } from '../engine/index.ts';
import {
  type ConditionFault,
  compareAge,
  describeOwner,
  type ListenerOwnerObject,
  type ListenerSpec,
  ownerOfListeners,
  type ResolvedListener,
  type ResolvedListenerSet,
} from '../model/index.ts';
import { resolveListener } from './listener.ts';
import { conflictWithin, PortClaims } from './listener-conflicts.ts';
import { notAllowed } from './listener-set.ts';

export interface ResolvedListeners {
  /** The Gateway's own. */
  readonly own: readonly ResolvedListener[];
  /** By key, in the order of their precedence. */
  readonly sets: ReadonlyMap<string, ResolvedListenerSet>;
}

/**
 * Resolves the listeners of a Gateway and of the ListenerSets that name it together, because they can be in each other's
 * way: the Gateway's go first, then those of older sets. Source: ListenerSet.spec.listeners, on precedence.
 */
export function resolveListeners(
  { gateway, shared }: { readonly gateway: ObjectByKind['Gateway']; readonly shared: boolean },
  sets: readonly ObjectByKind['ListenerSet'][],
  store: Store,
): ResolvedListeners {
  const claims = new PortClaims();
  const resolve = (owner: ListenerOwnerObject, spec: ListenerSpec, conflict: ConditionFault | undefined) => {
    if (!conflict || owner === gateway)
      claims.claim(spec, `listener ${spec.name} of ${describeOwner(ownerOfListeners(owner))}`);
    return resolveListener({ gateway, owner, shared }, spec, conflict, store);
  };
  const { listeners } = gateway.spec;
  const own = listeners.map((spec) => resolve(gateway, spec, conflictWithin(spec, listeners)));
  const resolved = [...sets].sort(compareAge).map((object): ResolvedListenerSet => {
    const key = keyOf(object);
    const fault = notAllowed(gateway, object, store);
    if (fault) return { key, object, fault, listeners: [] };
    return {
      key,
      object,
      listeners: object.spec.listeners.map((spec) => resolve(object, spec, claims.conflict(spec))),
    };
  });
  return { own, sets: new Map(resolved.map((set) => [set.key, set])) };
}
