import type * as ir from '../../../ir/index.ts';
import type { GroupName, GroupSpec, Policy, RuleGroup, Spec } from './group.ts';
import { hash } from './hash.ts';
import { retry } from './retry.ts';
import { timeouts } from './timeouts.ts';

export type { GroupName, Policy, Spec } from './group.ts';

/** Every group, in the order in which it is shown. */
const ruleGroups: { readonly [G in GroupName]: RuleGroup<G> } = { retry, timeouts, hash };

export const groupNames = Object.keys(ruleGroups) as readonly GroupName[];

/** Whether a policy says something of a group: what it is, or that it is disabled. */
export const saysGroup = ({ disabled, ...spec }: Spec, group: GroupName): boolean =>
  spec[group] !== undefined || (disabled?.includes(group) ?? false);

const resolved = new WeakMap<Policy, Map<GroupName, ir.RuleSettings>>();

/** What a group of a policy comes to on routes; undefined where the group is off. */
export function settingsOfGroup(group: GroupName, policy: Policy): ir.RuleSettings | undefined {
  const spec = policy.spec[group];
  if (spec === undefined) return undefined;
  const known = resolved.get(policy) ?? new Map<GroupName, ir.RuleSettings>();
  resolved.set(policy, known);
  const settings = known.get(group) ?? madeFrom(group, spec);
  known.set(group, settings);
  return settings;
}

const madeFrom = <G extends GroupName>(group: G, spec: Spec[G]): ir.RuleSettings =>
  (ruleGroups[group] as RuleGroup<G>).settingsOf(spec as GroupSpec<G>);
