// What the answers of Layout 1 look like, by what they are about. Objects are strict: a field that is not written here is not shown.

export { backend } from './backends/record.ts';
export { certificateUse } from './certificates/record.ts';
export { capabilities, livez, readyz, recentEvents, verified } from './dashboard/record.ts';
export { dataPlane, dataPlaneSummary } from './dataplanes/record.ts';
export { gateway } from './gateways/record.ts';
export { infrastructure } from './infrastructure/record.ts';
export { listener } from './listeners/record.ts';
export { node, offeredAgain, replica, snapshotSync } from './nodes/record.ts';
export { condition, reference } from './resource/leaves.ts';
export { routeTest, routeTestRequest } from './route-test/record.ts';
export { groupedRoutes, route } from './routes/record.ts';
export { catalogService, namespace, resourceKind } from './service-catalog/record.ts';
export { envoySnapshot, snapshot } from './snapshot/record.ts';
export { summary } from './summary/record.ts';
export { topology } from './topology/record.ts';
