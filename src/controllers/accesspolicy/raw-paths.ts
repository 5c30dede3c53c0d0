import { objectKey } from '../../gateway-api/index.ts';
import type { AccessLookup, GuardedListener } from '../../graph/engine/index.ts';
import { type ConditionFault, type CrowdedListener, describeOwner, type RawListener } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { isListenerOwner, routeTargetKey } from '../policies/index.ts';
import { hasPathRules, invalid, namespaceOf, type Policy } from './parts/index.ts';

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
