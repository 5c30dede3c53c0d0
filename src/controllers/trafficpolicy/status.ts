import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import type { GatewayConditions, GuardedListener, StatusContext } from '../../graph/engine/index.ts';
import { type ConditionFault, combineFaults, conditionOf } from '../../graph/model/index.ts';
import {
  findTarget,
  gatewaysOfTargets,
  isListenerOwner,
  ownerTarget,
  routeTargetKey,
  targetsOfListener,
} from '../policies/index.ts';
import { contentsOf, faultsOf, type GroupName, groupNames, type Policy, saysGroup } from './groups/index.ts';
import { holdersAt, isOverride } from './levels.ts';
import { tunnelNotes } from './tunnels.ts';
import { unobservedNotes } from './unobserved.ts';

type TargetRef = ObjectByKind['TrafficPolicy']['spec']['targetRefs'][number];

/** A group of the policy that does not hold at a target, and whose does. */
interface Lost {
  readonly group: GroupName;
  readonly where: string;
  readonly winner: Policy;
  /** An older policy of the same target; else one of an upper level. */
  readonly isOlder: boolean;
}

/** The conditions of a policy, at the Gateways that it is for and those of its routes. */
export function trafficPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const generation = policy.metadata.generation ?? 0;
  const groups = groupNames.filter((group) => saysGroup(policy.spec, group));
  const missing = policy.spec.targetRefs.flatMap((ref) => {
    const found = findTarget(policy, ref, context);
    return 'fault' in found ? [found.fault] : [];
  });
  const resolved = conditionOf('ResolvedRefs', generation, combineFaults(faultsOf(policy, context.store)));
  const notes = tunnelNotes(policy, context);
  const contents = contentsOf(policy, context.store).map((content) => ({
    group: content.name,
    rejectionAt: context.filters.rejectionOf([content]),
  }));
  return new Map(
    gatewaysOfTargets(policy, context).map((gateway) => {
      const lost = policy.spec.targetRefs.flatMap((ref) => lostAt(policy, ref, gateway, context));
      const isLeft = groups.some((group) => !isLostEverywhere(group, policy, lost));
      const conflict = isLeft ? [] : lost.filter(({ isOlder }) => isOlder).map(conflictOf);
      const rejected = contents.flatMap(({ group, rejectionAt }) => {
        const fault = rejectionAt(gateway);
        return fault ? [{ group, fault }] : [];
      });
      const acts = groups.some(
        (group) => !isLostEverywhere(group, policy, lost) && !rejected.some((each) => each.group === group),
      );
      const faults = rejected.map(({ fault }) => fault);
      const accepted = conditionOf(
        'Accepted',
        generation,
        combineFaults([...missing, ...conflict, ...(acts ? [] : faults)]),
        {
          message: [
            describeCount(countAt(policy, gateway, context)),
            ...notes,
            ...unobservedNotes(policy, gateway, context),
          ].join('; '),
        },
      );
      return [
        gateway,
        [accepted, resolved, ...overridden(lost, generation), ...degraded(acts ? faults : [], generation)],
      ];
    }),
  );
}

const describeCount = (count: number): string => (count === 1 ? 'acts on 1 route' : `acts on ${count} routes`);

const isLostEverywhere = (group: GroupName, { spec: { targetRefs } }: Policy, lost: readonly Lost[]): boolean =>
  lost.filter((each) => each.group === group).length >= targetRefs.length;

const conflictOf = ({ group, where, winner }: Lost): ConditionFault => ({
  reason: 'Conflicted',
  message: `${where} has ${group} of the older TrafficPolicy ${keyOf(winner)} already: change or remove one of them`,
});

function overridden(lost: readonly Lost[], observedGeneration: number) {
  if (lost.length === 0) return [];
  const said = lost.map(({ group, where, winner }) => `${group}: ${keyOf(winner)} rules at ${where}`);
  const message = [...new Set(said)].join('; ');
  return [{ type: 'Overridden', status: 'True', reason: 'Overridden', message, observedGeneration } as const];
}

/** Some of its groups act, and these do not. */
function degraded(faults: readonly ConditionFault[], observedGeneration: number) {
  const fault = combineFaults(faults);
  return fault ? [{ type: 'Degraded', status: 'True', ...fault, observedGeneration } as const] : [];
}

/** The groups of a policy that another one rules at a target of it. */
function lostAt(policy: Policy, ref: TargetRef, gateway: string, context: StatusContext): Lost[] {
  const found = findTarget(policy, ref, context);
  if ('fault' in found) return [];
  const own = holdersAt(found.target, found.section, context);
  const above = holdersAbove(ref, policy.metadata.namespace ?? '', gateway, context);
  return groupNames.flatMap((group): Lost[] => {
    if (!saysGroup(policy.spec, group)) return [];
    const at = { group, where: found.where };
    const ruling = above.map((holders) => holders[group]).find((holder) => holder && isOverride(holder));
    if (ruling && ruling !== policy) return [{ ...at, winner: ruling, isOlder: false }];
    const holder = own[group];
    return holder && holder !== policy ? [{ ...at, winner: holder, isOlder: true }] : [];
  });
}

/** What the levels above a target hold at a Gateway, the outermost first. */
function holdersAbove(ref: TargetRef, namespace: string, gateway: string, context: StatusContext) {
  const { kind, name, sectionName } = ref;
  const own = routeTargetKey(kind, `${namespace}/${name}`);
  const listeners: readonly GuardedListener[] = isListenerOwner(kind)
    ? [{ owner: { kind, namespace, name }, name: sectionName ?? '' }]
    : context.routes.listenersOf(own, gateway);
  const levels = listeners.flatMap((listener) => targetsOfListener(gateway, listener));
  const upper = isListenerOwner(kind) ? levels.slice(0, levelOf(ref)) : levels;
  const route = !isListenerOwner(kind) && sectionName !== undefined ? [{ target: own, section: undefined }] : [];
  return [...upper, ...route].map(({ target, section }) => holdersAt(target, section, context));
}

/** How many levels of a listener are above the target. */
function levelOf({ kind, sectionName }: TargetRef): number {
  const owners = kind === 'ListenerSet' ? 1 : 0;
  return sectionName === undefined ? owners : owners + 1;
}

/** How many routes a policy is for at a Gateway. A route that is attached to several listeners counts for each. */
function countAt(policy: Policy, gateway: string, { routes, gateways }: StatusContext): number {
  const listeners = gateways.listenersOf(gateway);
  const namespace = policy.metadata.namespace ?? '';
  const counts = policy.spec.targetRefs.map(({ kind, name, sectionName }) => {
    const target = routeTargetKey(kind, `${namespace}/${name}`);
    if (!isListenerOwner(kind)) return routes.listenersOf(target, gateway).length > 0 ? 1 : 0;
    const isAll = kind === 'Gateway' && sectionName === undefined;
    const meant = isAll
      ? listeners
      : listeners.filter(
          (each) => ownerTarget(each.owner) === target && (sectionName === undefined || each.name === sectionName),
        );
    return meant.reduce((sum, listener) => sum + routes.countAt(gateway, listener), 0);
  });
  return counts.reduce<number>((sum, count) => sum + count, 0);
}
