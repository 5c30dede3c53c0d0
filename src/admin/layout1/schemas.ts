// What the answers of Layout 1 look like, by what they are about. Objects are strict: a field that is not written here is not shown.

export { routeTest, routeTestRequest } from './route-test-schemas.ts';
export { backend } from './schemas/backends.ts';
export { catalogService, namespace, resourceKind } from './schemas/catalog.ts';
export { certificateUse } from './schemas/certificates.ts';
export { dataPlane, dataPlaneSummary } from './schemas/dataplanes.ts';
export { gateway } from './schemas/gateways.ts';
export { infrastructure } from './schemas/infrastructure.ts';
export { condition, reference } from './schemas/leaves.ts';
export { listener } from './schemas/listeners.ts';
export { node, offeredAgain, replica, snapshotSync } from './schemas/nodes.ts';
export { summary } from './schemas/overview.ts';
export { groupedRoutes, route } from './schemas/routes.ts';
export { capabilities, livez, readyz, recentEvents, verified } from './schemas/service.ts';
export { envoySnapshot, snapshot } from './schemas/snapshot.ts';
export { topology } from './schemas/topology.ts';
