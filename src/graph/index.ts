/**
 * The stored resources with their edges and conditions, and the builder that turns them into snapshots. Knows the
 * Gateway API and the IR; nothing of Envoy, and nothing of how objects are fetched or written.
 */
export { cookieNameOf } from './backends/session.ts';
export { buildMetrics } from './build-metrics.ts';
export { Builder, type BuilderOptions } from './builder.ts';
export { BuildFault } from './engine/build-fault.ts';
export type { TranslatorLimits } from './engine/limits.ts';
export type { StatusChange } from './engine/status-book.ts';
export { filterEffectSchemas, showFilters } from './filters/index.ts';
export type { SettledFleet } from './fleets/fleet.ts';
export type { Binder, DataPlaneState, SettledGateway } from './gateways/gateway.ts';
export { type BuildResult, Graph, type GraphOptions } from './graph.ts';
export { portOfBackend } from './model/backend-key.ts';
export type { BackendSession } from './model/backend-session.ts';
export type { ObjectReference } from './model/object-reference.ts';
export type { Refusal } from './quarantine/quarantine.ts';
export type { GraphCopy, GraphView, ListenerView } from './view.ts';
