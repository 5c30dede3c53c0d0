/** What stores, finds and marks objects of any kind: the store, edges and their indexes, dirty sets, statuses. Knows no kind by name but in types. */
export type { BackendProvider, BackendSetting, Lookup } from './backend-hooks.ts';
export type { Edges } from './edges.ts';
export {
  type Change,
  type Edge,
  type GatewayConditions,
  type KindModule,
  type KindModules,
  type Marking,
  type StatusContext,
  versionsOf,
} from './kind-module.ts';
export { type Store, serviceKeyOf } from './store.ts';
