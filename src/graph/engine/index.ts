/**
 * What stores, finds and marks objects of any kind: the store, edges and their indexes, dirty sets, statuses, and the types of what kinds'
 * modules declare. Knows no kind by name but in types.
 */
export { addAll } from './add-all.ts';
export type { BackendProvider, BackendSetting, BackendSettings, Lookup } from './backend-hooks.ts';
export { BackendProviders } from './backend-providers.ts';
export { BuildFault } from './build-fault.ts';
export { type CommittedEdges, type CommittedEntries, CommittedView } from './committed-view.ts';
export { Dirty } from './dirty.ts';
export { Edges } from './edges.ts';
export { fingerprint } from './fingerprint.ts';
export {
  type AnyKindModule,
  type BackendsInUse,
  type Change,
  type Edge,
  type GatewayConditions,
  type KindModule,
  type KindModules,
  type Marking,
  type StatusContext,
  versionsOf,
} from './kind-module.ts';
export { Limit, noLimits, type TranslatorLimits } from './limits.ts';
export type { ListenerOwners, ListenerSettings } from './listener-hooks.ts';
export { ObjectStatuses } from './object-statuses.ts';
export { ReverseIndex } from './reverse-index.ts';
export { reads, type Scope, unread } from './scope.ts';
export { StatusBook, type StatusChange } from './status-book.ts';
export { Store, serviceKeyOf } from './store.ts';
export { Tally } from './tally.ts';
export { ungranted } from './ungranted.ts';
