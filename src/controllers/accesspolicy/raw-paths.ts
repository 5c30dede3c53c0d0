import { objectKey } from '../../gateway-api/index.ts';
import type { AccessLookup, GuardedListener } from '../../graph/engine/index.ts';
import {
  type ConditionFault,
  type CrowdedListener,
  describeOwner,
  type FullListener,
  type RawListener,
} from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { isListenerOwner, routeTargetKey } from '../policies/index.ts';
import { demandsPart, hasPathRules, invalid, namespaceOf, type Policy } from './parts/index.ts';

type Lookup = Pick<AccessLookup, 'gateways' | 'routes'>;

/** Rules by path of a policy do not hold at some of its listeners of a Gateway: these answer 500. */
export function rawPathsAt(policy: Policy, gateway: string, lookup: Lookup): ConditionFault | undefined {
  if (!hasPathRules(policy.spec)) return undefined;
  const raw = lookup.gateways.rawListenersOf(gateway);
  if (raw.length === 0) return undefined;
  return rawPathsFault(
    raw.filter((listener) => policy.spec.targetRefs.some((ref) => isOf(policy, ref, gateway, listener, lookup))),
  );
}

/** The same of listeners that are found. Undefined: there is none. */
export function rawPathsFault([first, ...more]: readonly RawListener[]): ConditionFault | undefined {
  if (!first) return undefined;
  const { owner, name, policy } = first;
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return invalid(
    `authorization: rules by path do not hold at listener ${name} of ${describeOwner(owner)}${others}, where ListenerPolicy ${policy} leaves paths as clients write them: remove its normalize: false, mergeSlashes: false or escapedSlashes: Keep, or the paths of the rules; until then requests there are answered 500`,
  );
}

/** A policy is not in force at some of its listeners of a Gateway, since others left no room: these answer 500. */
export function crowdingAt(policy: Policy, gateway: string, lookup: Lookup): ConditionFault | undefined {
  const crowded = lookup.gateways.crowdedListenersOf(gateway);
  if (crowded.length === 0) return undefined;
  return crowdingFault(
    crowded.filter((listener) =>
      policy.spec.targetRefs.some(
        (ref) =>
          listener.levels.includes(levelOf(ref)) &&
          isListenerOwner(ref.kind) &&
          isOf(policy, ref, gateway, listener, lookup),
      ),
    ),
  );
}

const levelOf = ({ kind, sectionName }: Policy['spec']['targetRefs'][number]): ir.TableLevel =>
  sectionName !== undefined ? 'listener' : kind === 'ListenerSet' ? 'listenerSet' : 'gateway';

/** The same of listeners that are found. Undefined: there is none. */
export function crowdingFault([first, ...more]: readonly CrowdedListener[]): ConditionFault | undefined {
  if (!first) return undefined;
  const { owner, name, port } = first;
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return invalid(
    `port ${port} has room for 256 policies of a level, which namespaces share evenly, each for its oldest: there is none left at listener ${name} of ${describeOwner(owner)}${others}: write one policy for what several have in common, or give the listener another port; until then requests there are answered 500`,
  );
}

/** A part of a policy makes requests wait, as those of all other levels do: there is no place for one more that moves. */
export function noRoomAt(policy: Policy, gateway: string, lookup: Lookup): ConditionFault | undefined {
  const full = lookup.gateways.fullListenersOf(gateway);
  if (full.length === 0) return undefined;
  const own = full.filter((listener) =>
    policy.spec.targetRefs.some((ref) => isListenerOwner(ref.kind) && isOf(policy, ref, gateway, listener, lookup)),
  );
  return noRoomFault(own, (part) => demandsPart(policy.spec, part));
}

/** The same of listeners that are found, for those of the parts that are asked about. Undefined: there is none. */
export function noRoomFault(
  listeners: readonly FullListener[],
  isAsked: (part: ir.AccessPart) => boolean,
): ConditionFault | undefined {
  const [first, ...more] = listeners.filter(({ parts }) => parts.some(isAsked));
  if (!first) return undefined;
  const parts = first.parts.filter(isAsked).join(', ');
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return {
    reason: 'NoRoomToMove',
    message: `Gateways, ListenerSets and listeners at port ${first.port} all have ${parts}, for which requests wait (listener ${first.name} of ${describeOwner(first.owner)}${others}): it is in force, but proxies have no place for one more. Remove ${parts} from one of these three levels before you move it to or from a route; else its requests are answered 500 until proxies have the whole change`,
  };
}

function isOf(
  policy: Policy,
  { kind, name, sectionName }: Policy['spec']['targetRefs'][number],
  gateway: string,
  listener: Pick<RawListener, 'owner' | 'name'>,
  { routes }: Lookup,
): boolean {
  const key = objectKey(namespaceOf(policy), name);
  if (!isListenerOwner(kind))
    return routes.listenersOf(routeTargetKey(kind, key), gateway).some((each) => isSame(each, listener));
  if (kind === 'Gateway' && sectionName === undefined) return key === gateway;
  const { owner } = listener;
  const isOwner = owner.kind === kind && objectKey(owner.namespace, owner.name) === key;
  return isOwner && (sectionName === undefined || sectionName === listener.name);
}

export const isSame = (one: GuardedListener, other: Pick<RawListener, 'owner' | 'name'>): boolean =>
  one.name === other.name &&
  one.owner.kind === other.owner.kind &&
  one.owner.namespace === other.owner.namespace &&
  one.owner.name === other.owner.name;
