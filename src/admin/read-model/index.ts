/** What both path layouts show, computed once: pure functions over the read-only views of graph and xDS. */
export { type BackendRecord, backendName, backendRecord, findBackends, listBackends } from './backends.ts';
export { isTrue, listenerState } from './conditions.ts';
export { indexSlices } from './endpoints.ts';
export { findGateway, type GatewayRecord, gatewayRecord, listGateways, type OurGateway } from './gateways.ts';
export { findListeners, type ListenerRecord, listenerRecord } from './listeners.ts';
export { type NodeRecord, nodeRecord } from './nodes.ts';
export { findRouteKind, type RouteKind, routeKinds } from './route-kinds.ts';
export {
  findRoute,
  hostnamesOf,
  listRoutes,
  type RouteObject,
  type RouteRecord,
  refersToGateway,
  routeRecord,
} from './routes.ts';
export { type SnapshotRecord, snapshotRecord } from './snapshot.ts';
export { type SnapshotSync, snapshotSync } from './snapshot-sync.ts';
export { type Summary, summarize } from './summary.ts';
export type { Leadership, Readiness, World } from './world.ts';
