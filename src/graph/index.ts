/**
 * The stored resources with their edges and conditions, and the builder that turns them into snapshots. Knows the
 * Gateway API and the IR; nothing of Envoy, and nothing of how objects are fetched or written.
 */
export { portOfBackend } from './backend-ref.ts';
export type { BackendSession } from './backend-session.ts';
export { BuildFault } from './build-fault.ts';
export { Builder, type BuilderOptions } from './builder.ts';
export type { SettledFleet } from './fleet.ts';
export type { Binder, DataPlaneState, SettledGateway } from './gateway.ts';
export { type BuildResult, Graph, type GraphOptions } from './graph.ts';
export type { TranslatorLimits } from './limits.ts';
export type { Refusal } from './quarantine.ts';
export { cookieNameOf } from './session.ts';
export type { StatusChange } from './status-book.ts';
export type { GraphCopy, GraphView, ListenerView, ObjectReference } from './view.ts';
