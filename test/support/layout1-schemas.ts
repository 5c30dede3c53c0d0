import * as z from 'zod';

// The schemas of Layout 1's answers, by the names that tests know them by.
export { backend } from '../../src/admin/backends/record.ts';
export { certificateUse } from '../../src/admin/certificates/record.ts';
export { capabilities, verified } from '../../src/admin/dashboard/record.ts';
export { dataPlane } from '../../src/admin/dataplanes/record.ts';
export { explanation } from '../../src/admin/explain/record.ts';
export { gateway } from '../../src/admin/gateways/record.ts';
export { infrastructure } from '../../src/admin/infrastructure/record.ts';
export { listener } from '../../src/admin/listeners/record.ts';
export { node } from '../../src/admin/nodes/record.ts';
export { livez, readyz } from '../../src/admin/probes/index.ts';
export { problems } from '../../src/admin/problems/record.ts';
export { resourceKind } from '../../src/admin/resource-kinds/record.ts';
export { routeTest } from '../../src/admin/route-test/record.ts';
export { groupedRoutes, route } from '../../src/admin/routes/record.ts';
export { catalogService } from '../../src/admin/service-catalog/record.ts';
export { envoySnapshot, snapshot } from '../../src/admin/snapshot/record.ts';
export { snapshotSync } from '../../src/admin/snapshot-sync/record.ts';
export { summary } from '../../src/admin/summary/record.ts';
export { topology } from '../../src/admin/topology/record.ts';
export const namespace = z.string();
export { failures } from '../../src/admin/failures/record.ts';
export { picks } from '../../src/admin/picks/record.ts';
export { traffic } from '../../src/admin/traffic/record.ts';
