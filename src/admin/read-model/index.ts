/** What both path layouts show, computed once: pure functions over the read-only views of graph and xDS. */

export {
  type BackendRecord,
  backendName,
  backendRecord,
  findBackends,
  listBackends,
  type RefusedNames,
} from './backends.ts';
export { capabilities } from './capabilities.ts';
export {
  type CertificateEntry,
  certificateRecord,
  daysLeft,
  listCertificates,
} from './certificate-list.ts';
export { isTrue, listenerState } from './conditions.ts';
export { agentAddress, dataPlaneRecord } from './dataplanes.ts';
export { indexSlices } from './endpoints.ts';
export { type EnvoyResourceRecord, envoyResourceRecord } from './envoy-resources.ts';
export { findGateway, type GatewayRecord, gatewayRecord, listGateways, type OurGateway } from './gateways.ts';
export {
  type InfrastructurePart,
  type InfrastructureParts,
  type InfrastructureView,
  infrastructureRecord,
} from './infrastructure.ts';
export { findListeners, type ListenerRecord, listenerRecord } from './listeners.ts';
export { listNamespaces } from './namespaces.ts';
export { type NodeRecord, type NodeRefusalRecord, nodeRecord, refusalRecords } from './nodes.ts';
export { kindCategory, listResourceKinds, type ResourceKindRecord, resourceKindRecord } from './resource-kinds.ts';
export { findRouteKind, type RouteKind, routeKinds } from './route-kinds.ts';
export { type RouteTestRecord, routeTestRecord } from './route-test.ts';
export {
  findRoute,
  hostnamesOf,
  listRoutes,
  type RouteObject,
  type RouteRecord,
  refersToGateway,
  routeRecord,
} from './routes.ts';
export { serviceRecord } from './service-catalog.ts';
export { type SnapshotRecord, shownBackend, shownListener, snapshotRecord, snapshotTag } from './snapshot.ts';
export { type SnapshotSync, snapshotSync } from './snapshot-sync.ts';
export { type Summary, summarize } from './summary.ts';
export { type TopologyFilter, topology, topologyTypes } from './topology.ts';
export type {
  Availability,
  Leadership,
  ManagedResources,
  Readiness,
  ReplicaRecord,
  ReplicasView,
  Services,
  World,
} from './world.ts';
export { worldFigures } from './world-figures.ts';
