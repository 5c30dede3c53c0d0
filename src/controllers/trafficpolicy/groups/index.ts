import { keyOf, objectKey } from '../../../gateway-api/index.ts';
import { resolveBackend } from '../../../graph/backends/index.ts';
import type { FilterContent } from '../../../graph/engine/index.ts';
import type { ConditionFault, ResolvedBackend } from '../../../graph/model/index.ts';
import * as ir from '../../../ir/index.ts';
import { madeOnce } from '../../policies/index.ts';
import { accessLog } from './access-log.ts';
import { admission } from './admission.ts';
import { bandwidth } from './bandwidth.ts';
import { buffering } from './buffering.ts';
import { compression } from './compression.ts';
import { errorPages } from './error-pages.ts';
import { faults } from './faults.ts';
import type {
  FilterGroup,
  FilterGroupName,
  Found,
  GroupName,
  GroupSpec,
  Objects,
  Policy,
  RuleGroup,
  RuleGroupName,
  Servers,
  Spec,
} from './group.ts';
import { grpcWeb } from './grpc-web.ts';
import { hash } from './hash.ts';
import { requestBody } from './request-body.ts';
import { responseCookies } from './response-cookies.ts';
import { responseLocation } from './response-location.ts';
import { retry } from './retry.ts';
import { timeouts } from './timeouts.ts';
import { tracing } from './tracing.ts';
import { upgrades } from './upgrades.ts';

export type { FilterGroupName, GroupName, Objects, Policy } from './group.ts';

const ruleGroups: { readonly [G in RuleGroupName]: RuleGroup<G> } = {
  retry,
  timeouts,
  hash,
  tracing,
  accessLog,
  upgrades,
};
const filterGroups: { readonly [G in FilterGroupName]: FilterGroup<G> } = {
  requestBody,
  compression,
  errorPages,
  faults,
  buffering,
  responseLocation,
  responseCookies,
  grpcWeb,
  admission,
  bandwidth,
};

export const ruleGroupNames = Object.keys(ruleGroups) as readonly RuleGroupName[];
export const filterGroupNames = Object.keys(filterGroups) as readonly FilterGroupName[];

/** See RuleGroup.isOfAnswers. */
export const isOfAnswers = (group: RuleGroupName): boolean => ruleGroups[group].isOfAnswers ?? false;

/** Whether rules that the proxy answers by itself do not have it. */
export const isForBackends = (group: GroupName): boolean => group in ruleGroups && !isOfAnswers(group as RuleGroupName);

/** See FilterGroup.isPerRoute. */
export const isPerRoute = (group: FilterGroupName): boolean => filterGroups[group].isPerRoute ?? false;

/** Every group, in the order in which it is shown. */
export const groupNames: readonly GroupName[] = [...ruleGroupNames, ...filterGroupNames];

/** Whether a policy says something of a group: what it is, or that it is disabled. */
export const saysGroup = ({ disabled, ...spec }: Spec, group: GroupName): boolean =>
  spec[group] !== undefined || (disabled?.includes(group) ?? false);

/** What a group of a policy comes to on routes; undefined where the group is disabled. */
export function settingsOfGroup<G extends RuleGroupName>(group: G, policy: Policy): ir.RuleSettings | undefined {
  const spec = policy.spec[group];
  if (spec === undefined) return undefined;
  return madeOnce(policy, group, [], () => (ruleGroups[group] as RuleGroup<G>).settingsOf(spec as GroupSpec<G>));
}

/** What a group of a policy comes to as a filter. */
export function filterOfGroup<G extends FilterGroupName>(
  group: G,
  policy: Policy,
  objects: Objects,
): NonNullable<ir.TrafficFilters[G]> | 'disabled' {
  const spec = policy.spec[group];
  if (spec === undefined) return 'disabled';
  const found = foundOf(group, policy, objects);
  const servers = serversOf(policy, objects);
  const asked = (groupOf(group).asks?.(spec as GroupSpec<G>) ?? []).map((ref) => keyAt(servers(ref)));
  return madeOnce(policy, group, [...found.values(), ...asked], () =>
    groupOf(group).valueOf(spec as GroupSpec<G>, found, servers),
  );
}

/** The same for one route or rule. */
export function filterForTarget<G extends FilterGroupName>(
  group: G,
  policy: Policy,
  objects: Objects,
  target: string,
): NonNullable<ir.TrafficFilters[G]> | 'disabled' {
  const value = filterOfGroup(group, policy, objects);
  return value === 'disabled' ? value : (groupOf(group).valueFor?.(value, target) ?? value);
}

/** Names of the ConfigMaps that a policy refers to, in its own namespace. */
export const namesOf = (policy: Policy): readonly string[] =>
  filterGroupNames.flatMap((group) => namesOfGroup(group, policy));

/** Keys of the Services that a policy has asked. */
export const askedBy = (policy: Policy): readonly string[] =>
  filterGroupNames.flatMap((group) => {
    const spec = policy.spec[group];
    const refs = spec === undefined ? [] : (groupOf(group).asks?.(spec as never) ?? []);
    return refs.map(({ name, namespace = policy.metadata.namespace }) => objectKey(namespace, name));
  });

/** What a policy names and is not available. */
export const faultsOf = (policy: Policy, objects: Objects): readonly ConditionFault[] =>
  filterGroupNames.flatMap((group) => {
    const spec = policy.spec[group];
    if (spec === undefined) return [];
    const { namespace = '' } = policy.metadata;
    const [found, servers] = [foundOf(group, policy, objects), serversOf(policy, objects)];
    return groupOf(group).faultsOf?.(spec as never, found, namespace, servers) ?? [];
  });

/** Of a policy, what proxies have as filters. */
export const contentsOf = (policy: Policy, objects: Objects): readonly FilterContent[] =>
  filterGroupNames.flatMap((filter) => {
    const value = filterOfGroup(filter, policy, objects);
    const key = ir.trafficKey(keyOf(policy), filter);
    if (value === 'disabled') return [];
    const { closedWith } = groupOf(filter);
    return { kind: 'traffic', key, name: filter, ...(closedWith && { closedWith }), digest: () => ir.digestOf(value) };
  });

const groupOf = <G extends FilterGroupName>(group: G): FilterGroup<G> =>
  filterGroups[group] as unknown as FilterGroup<G>;

function namesOfGroup(group: FilterGroupName, { spec }: Policy): readonly string[] {
  const value = spec[group];
  return value === undefined ? [] : (groupOf(group).refers?.(value as never) ?? []);
}

const foundOf = (group: FilterGroupName, policy: Policy, objects: Objects): Found =>
  new Map(
    [...new Set(namesOfGroup(group, policy))].flatMap((name) => {
      const object = objects.find('ConfigMap', objectKey(policy.metadata.namespace, name));
      return object ? [[name, object] as const] : [];
    }),
  );

const serversOf = ({ metadata: { namespace = '' } }: Policy, store: Objects): Servers => {
  const user = { group: 'gatewright.dev', kind: 'TrafficPolicy', namespace };
  return (ref) => resolveBackend(ref, user, store);
};

const keyAt = (target: ResolvedBackend): string | undefined => ('key' in target ? target.key : undefined);
