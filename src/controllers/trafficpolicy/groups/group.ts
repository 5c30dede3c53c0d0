import type { ObjectByKind } from '../../../gateway-api/index.ts';
import type { Store } from '../../../graph/engine/index.ts';
import type { ConditionFault, ResolvedBackend } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';

export type Policy = ObjectByKind['TrafficPolicy'];
export type Spec = Policy['spec'];

/** A top-level member of a policy that is taken whole. */
export type GroupName = NonNullable<Spec['disabled']>[number];

export type GroupSpec<G extends GroupName> = NonNullable<Spec[G]>;

/** A group that is fields of Envoy's routes, and costs a request nothing. */
export interface RuleGroup<G extends RuleGroupName> {
  /** Rules that the proxy answers by itself have it, too. */
  readonly isOfAnswers?: true;
  readonly settingsOf: (spec: GroupSpec<G>) => ir.RuleSettings;
}

/** Groups that are filters of Envoy, by their name in the IR. */
export type FilterGroupName = GroupName & ir.TrafficFilter;
export type RuleGroupName = Exclude<GroupName, ir.TrafficFilter>;

/** A group that is a filter: a Gateway's stands once in the filter chains of its tables, a route's in the route. */
export interface FilterGroup<G extends FilterGroupName> {
  /** What upper levels say stands in each route as well, since it differs from route to route or is more than a filter. */
  readonly isPerRoute?: true;
  /** `found`: what `refers` names, and is there. */
  readonly valueOf: (spec: GroupSpec<G>, found: Found, servers: Servers) => NonNullable<ir.TrafficFilters[G]>;
  /** While proxies reject it, requests that it is for are answered so, and none passes. */
  readonly closedWith?: 503;
  /** The value for the route or rule that it is for; where it is left out, all of them have the same. */
  readonly valueFor?: (value: NonNullable<ir.TrafficFilters[G]>, target: string) => NonNullable<ir.TrafficFilters[G]>;
  /** Names of the ConfigMaps of the policy's namespace that it is made from. */
  readonly refers?: (spec: GroupSpec<G>) => readonly string[];
  /** The servers that it has asked. */
  readonly asks?: (spec: GroupSpec<G>) => readonly ServerRef[];
  /** Which of all those are not available. */
  readonly faultsOf?: (
    spec: GroupSpec<G>,
    found: Found,
    namespace: string,
    servers: Servers,
  ) => readonly ConditionFault[];
}

/** A Service, of the policy's namespace unless it says otherwise. */
export interface ServerRef {
  readonly name: string;
  readonly namespace?: string;
  readonly port: number;
}

/** Where such a reference leads. */
export type Servers = (ref: ServerRef) => ResolvedBackend;

/** ConfigMaps by their names. */
export type Found = ReadonlyMap<string, ObjectByKind['ConfigMap']>;

/** Where the objects are found that policies refer to. */
export type Objects = Store;
