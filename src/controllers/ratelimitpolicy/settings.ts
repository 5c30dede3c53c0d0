import { rateLimitPolicyAffected } from '../../gateway-api/index.ts';
import type { LimitSettings, ReferenceLookup, RouteSettings, RuleOwner } from '../../graph/engine/index.ts';
import { parseRouteKey, type TargetNote } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { type ListenerTarget, limitTargets, ownerTarget, targetNote, targetsOfListener } from '../policies/index.ts';
import { olderOf, policiesAt } from './at-target.ts';
import { type Policy, validBucketsOf } from './bucket.ts';
import { holdingsAt } from './explain.ts';

const { edge } = limitTargets;

/** All policies of a target count, the oldest first; of those that ask services, one of each phase. */
const bucketsAt = (target: string, section: string | undefined, lookup: ReferenceLookup): readonly ir.LimitBucket[] =>
  lookup.edges.of(edge).count(target) === 0
    ? []
    : inForceAt(target, section, lookup).flatMap((policy) => validBucketsOf(policy, lookup));

const inForceAt = (target: string, section: string | undefined, lookup: ReferenceLookup): readonly Policy[] =>
  policiesAt(target, section, lookup).filter((policy, _index, all) => !olderOf(policy, all));

/** What requests to Gateways, ListenerSets and listeners count against, whatever their route. */
export const listenerLimits: LimitSettings = {
  edge,
  targetOf: ownerTarget,
  limitsOf(gateway, lookup) {
    const known = new Map<string, ir.ListenerLimits>();
    const find = ({ level, target, section }: ListenerTarget): ir.ListenerLimits => {
      const name = section === undefined ? target : `${target}/${section}`;
      const found = known.get(name) ?? { level, target: name, buckets: bucketsAt(target, section, lookup) };
      known.set(name, found);
      return found;
    };
    return (listener) =>
      targetsOfListener(gateway, listener)
        .map(find)
        .filter(({ buckets }) => buckets.length > 0);
  },
  noteAt: (owner, listener, lookup) => noteOf(ownerTarget(owner), [listener], lookup),
  holdingsAt,
};

/** What routes and rules add to that. */
export const routeLimits: RouteSettings = {
  edge,
  settingOf(owner, { filters }, lookup) {
    const limits = limitsOfRule(owner, lookup);
    return limits && { fields: { filters: { ...identified(filters, limits), limits } } };
  },
  noteAt: (route, rules, lookup) => noteOf(route, [undefined, ...rules], lookup),
};

/** Its policies of access say whose a request is, where its limits count by that. */
function identified(
  filters: ir.RouteFilters | undefined,
  { route, rule }: ir.RouteLimits,
): ir.RouteFilters | undefined {
  const access = filters?.access;
  if (!access || !ir.countByIdentity([...(route?.buckets ?? []), ...(rule?.buckets ?? [])])) return filters;
  return { ...filters, access: { ...access, identifies: true } };
}

function limitsOfRule({ route, rule }: RuleOwner, lookup: ReferenceLookup): ir.RouteLimits | undefined {
  if (lookup.edges.of(edge).count(route) === 0) return undefined;
  const { kind, key } = parseRouteKey(route);
  const target = `${kind}/${key}`;
  const whole = bucketsAt(route, undefined, lookup);
  const own = rule === undefined ? [] : bucketsAt(route, rule, lookup);
  if (whole.length === 0 && own.length === 0) return undefined;
  return {
    ...(whole.length > 0 && { route: { target, buckets: whole } }),
    ...(own.length > 0 && { rule: { target: `${target}/${rule}`, buckets: own } }),
  };
}

function noteOf(
  target: string,
  sections: readonly (string | undefined)[],
  lookup: ReferenceLookup,
): TargetNote | undefined {
  if (lookup.edges.of(edge).count(target) === 0) return undefined;
  const policies = sections
    .flatMap((section) => inForceAt(target, section, lookup))
    .filter((policy) => validBucketsOf(policy, lookup).length > 0);
  return targetNote(rateLimitPolicyAffected, 'RateLimitPolicy', policies);
}
