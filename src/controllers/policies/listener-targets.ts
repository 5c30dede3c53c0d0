import type { GuardedListener } from '../../graph/engine/index.ts';
import type { ListenerOwner } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { type RouteTargetKey, routeTargetKey } from './route-targets.ts';

/** A target of policies above routes. */
export interface ListenerTarget {
  readonly level: ir.TableLevel;
  readonly target: RouteTargetKey;
  /** Name of one listener; undefined: all of the target. */
  readonly section: string | undefined;
}

/** Above routes. */
export const isListenerOwner = (kind: string): kind is 'Gateway' | 'ListenerSet' =>
  kind === 'Gateway' || kind === 'ListenerSet';

export const ownerTarget = ({ kind, namespace, name }: ListenerOwner): RouteTargetKey =>
  routeTargetKey(kind, `${namespace}/${name}`);

export const gatewayTarget = (gateway: string): RouteTargetKey => routeTargetKey('Gateway', gateway);

/** Whose policies are in force at a listener of a Gateway, the outermost first. */
export function targetsOfListener(gateway: string, { owner, name }: GuardedListener): readonly ListenerTarget[] {
  const target = ownerTarget(owner);
  const set = { level: 'listenerSet', target, section: undefined } as const;
  return [
    { level: 'gateway', target: gatewayTarget(gateway), section: undefined },
    ...(owner.kind === 'ListenerSet' ? [set] : []),
    { level: 'listener', target, section: name },
  ];
}
