/**
 * The stored resources with their edges and conditions, and the builder that turns them into snapshots. Knows the
 * Gateway API and the IR; nothing of Envoy, and nothing of how objects are fetched or written.
 */
export type { GraphView, ListenerView, ObjectReference } from './view.ts';
