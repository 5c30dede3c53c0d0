import type * as ir from '../../../ir/index.ts';
import { admission } from './admission.ts';
import { bandwidth } from './bandwidth.ts';
import { buffering } from './buffering.ts';
import { compression } from './compression.ts';
import { faults } from './faults.ts';
import type {
  FilterGroup,
  FilterGroupName,
  GroupName,
  GroupSpec,
  Policy,
  RuleGroup,
  RuleGroupName,
  Spec,
} from './group.ts';
import { grpcWeb } from './grpc-web.ts';
import { hash } from './hash.ts';
import { requestBody } from './request-body.ts';
import { responseLocation } from './response-location.ts';
import { retry } from './retry.ts';
import { timeouts } from './timeouts.ts';

export type { GroupName, Policy } from './group.ts';

const ruleGroups: { readonly [G in RuleGroupName]: RuleGroup<G> } = { retry, timeouts, hash };
const filterGroups: { readonly [G in FilterGroupName]: FilterGroup<G> } = {
  requestBody,
  compression,
  faults,
  buffering,
  responseLocation,
  grpcWeb,
  admission,
  bandwidth,
};

export const ruleGroupNames = Object.keys(ruleGroups) as readonly RuleGroupName[];
export const filterGroupNames = Object.keys(filterGroups) as readonly FilterGroupName[];

/** See FilterGroup.isPerRoute. */
export const isPerRoute = (group: FilterGroupName): boolean => filterGroups[group].isPerRoute ?? false;

/** Every group, in the order in which it is shown. */
export const groupNames: readonly GroupName[] = [...ruleGroupNames, ...filterGroupNames];

/** Whether a policy says something of a group: what it is, or that it is disabled. */
export const saysGroup = ({ disabled, ...spec }: Spec, group: GroupName): boolean =>
  spec[group] !== undefined || (disabled?.includes(group) ?? false);

const resolved = new WeakMap<Policy, Map<GroupName, object>>();

function once<T extends object>(policy: Policy, group: GroupName, make: () => T): T {
  const known = resolved.get(policy) ?? new Map<GroupName, object>();
  resolved.set(policy, known);
  const value = known.get(group) ?? make();
  known.set(group, value);
  return value as T;
}

/** What a group of a policy comes to on routes; undefined where the group is disabled. */
export function settingsOfGroup<G extends RuleGroupName>(group: G, policy: Policy): ir.RuleSettings | undefined {
  const spec = policy.spec[group];
  if (spec === undefined) return undefined;
  return once(policy, group, () => (ruleGroups[group] as RuleGroup<G>).settingsOf(spec as GroupSpec<G>));
}

/** What a group of a policy comes to as a filter. */
export function filterOfGroup<G extends FilterGroupName>(
  group: G,
  policy: Policy,
): NonNullable<ir.TrafficFilters[G]> | 'disabled' {
  const spec = policy.spec[group];
  if (spec === undefined) return 'disabled';
  return once(policy, group, () => (filterGroups[group] as unknown as FilterGroup<G>).valueOf(spec as GroupSpec<G>));
}
