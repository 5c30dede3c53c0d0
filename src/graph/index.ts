/**
 * The stored resources with their edges and conditions, and the builder that turns them into snapshots. Knows the
 * Gateway API and the IR; nothing of Envoy, and nothing of how objects are fetched or written.
 */
export type { AuthorityHolding } from './authorities-in-use.ts';
export { cookieNameOf } from './backends/index.ts';
export { buildMetrics } from './build-metrics.ts';
export type { BuildResult } from './build-result.ts';
export { Builder } from './builder.ts';
export { resolveRevocationLists, revocationListRef } from './certificates/index.ts';
export {
  type AccessHolding,
  type AccessPlace,
  BuildFault,
  type LimitHolding,
  type Mishap,
  type StatusChange,
  sliceOwners,
  type TrafficHolding,
  type TranslatorLimits,
  type UserCode,
} from './engine/index.ts';
export { filterEffectSchemas, showFilters } from './filters/index.ts';
export { gatewayOfSet } from './gateways/index.ts';
export { Graph } from './graph.ts';
export type { GraphOptions } from './graph-options.ts';
export {
  type Binder,
  backendOwner,
  type DatabaseTrouble,
  type ListenerView,
  type ObjectReference,
  portOfBackend,
  type Rejection,
  type ResolvedFleet,
  type ResolvedGateway,
} from './model/index.ts';
export type { GraphCopy, GraphView } from './view.ts';
