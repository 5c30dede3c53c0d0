/**
 * What stores, finds and marks objects of any kind: the store, edges and their indexes, dirty sets, statuses, and the types of what kinds'
 * modules declare. Knows no kind by name but those by which endpoints and permissions are found.
 */
export type { AccessExplainer, AccessHolding, AccessLookup, AccessPlace } from './access-hooks.ts';
export { addAll } from './add-all.ts';
export type { BackendSetting, BackendSettings, Failover } from './backend-hooks.ts';
export type { BackendProvider } from './backend-provider.ts';
export { BackendProviders } from './backend-providers.ts';
export { BuildFault } from './build-fault.ts';
export { type CommittedEdges, type CommittedEntries, CommittedView } from './committed-view.ts';
export { Dirty } from './dirty.ts';
export { type Change, type Edge, type Marking, versionsOf } from './edge.ts';
export type { EdgeIndexes } from './edge-indexes.ts';
export { Edges } from './edges.ts';
export type { FilterContent } from './filter-content.ts';
export { fingerprint } from './fingerprint.ts';
export type { GatewaySettings, GuardedListener, PortListener } from './gateway-hooks.ts';
export type {
  AnyKindModule,
  BackendsInUse,
  FiltersInUse,
  GatewayConditions,
  KindModule,
  KindModules,
  RoutesInUse,
  StatusContext,
} from './kind-module.ts';
export { pairOfSelector } from './label-pairs.ts';
export type { LimitHolding, LimitLookup, LimitSettings } from './limit-hooks.ts';
export { Limit, noLimits, type TranslatorLimits } from './limits.ts';
export type { ListenerOwners, ListenerSettings } from './listener-hooks.ts';
export type { Lookup } from './lookup.ts';
export { type Mishap, Mishaps, mishapFault } from './mishaps.ts';
export { ObjectStatuses } from './object-statuses.ts';
export type { ReferenceLookup } from './reference-lookup.ts';
export { ReverseIndex } from './reverse-index.ts';
export { Revisions } from './revisions.ts';
export type { RouteSettings, RuleOwner, RuleSetting } from './route-hooks.ts';
export { type RouteStateCounts, RouteStates } from './route-states.ts';
export { reads, type Scope, unread } from './scope.ts';
export { toSelectedPods } from './selected-pods.ts';
export { StatusBook, type StatusChange } from './status-book.ts';
export { Store, sliceOwners } from './store.ts';
export type { StoredObjects } from './stored-objects.ts';
export { Tally } from './tally.ts';
export type { TrafficHolding, TrafficLookup, TrafficSettings } from './traffic-hooks.ts';
export { ungranted } from './ungranted.ts';
export type { FoundCode, UserCode } from './user-code.ts';
