import { backendEndpoints } from '../backends/index.ts';
import { dashboardEndpoints } from '../dashboard/index.ts';
import { dataPlaneEndpoints } from '../dataplanes/index.ts';
import { eventEndpoints, recentEventEndpoints } from '../events/endpoints.ts';
import type { EventLog } from '../events/index.ts';
import { gatewayEndpoints } from '../gateways/index.ts';
import { listenerEndpoints } from '../listeners/index.ts';
import { nodeEndpoints } from '../nodes/index.ts';
import { descriptionEndpoints } from '../openapi/endpoints.ts';
import { type ReplicaFeed, replicaEndpoints } from '../replicas/index.ts';
import { type Endpoint, single } from '../resource/endpoint.ts';
import { routeTestEndpoints } from '../route-test/index.ts';
import { routeEndpoints } from '../routes/index.ts';
import { catalogEndpoints } from '../service-catalog/index.ts';
import { snapshotEndpoints } from '../snapshot/index.ts';
import { snapshotSync } from '../snapshot-sync/snapshot-sync.ts';
import type { AdminSources } from '../sources.ts';
import { summarize } from '../summary/summarize.ts';
import { topologyEndpoints } from '../topology/index.ts';

/** Everything of Layout 1 but its probes. */
export const layout1Endpoints = (sources: AdminSources, events: EventLog, feed: ReplicaFeed): readonly Endpoint[] => [
  single('/v1/summary', () => summarize(sources)),
  ...snapshotEndpoints(sources),
  single('/v1/snapshot-sync', () => snapshotSync(sources)),
  ...listenerEndpoints(sources),
  ...routeEndpoints(sources),
  ...routeTestEndpoints(sources),
  ...backendEndpoints(sources),
  ...nodeEndpoints(sources),
  ...replicaEndpoints(sources, feed),
  ...gatewayEndpoints(sources),
  ...catalogEndpoints(sources),
  ...topologyEndpoints(sources),
  ...dataPlaneEndpoints(sources),
  ...dashboardEndpoints(sources),
  ...eventEndpoints(events),
  ...recentEventEndpoints(events),
  ...descriptionEndpoints(sources),
];
