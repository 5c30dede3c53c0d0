import { type Endpoint, single } from '../endpoint.ts';
import type { EventLog } from '../events/index.ts';
import { snapshotSync, summarize, type World } from '../read-model/index.ts';
import { backendEndpoints } from './backends.ts';
import { catalogEndpoints } from './catalog.ts';
import { dashboardEndpoints } from './dashboard.ts';
import { dataPlaneEndpoints } from './dataplanes.ts';
import { descriptionEndpoints } from './description.ts';
import { eventEndpoints, recentEventEndpoints } from './events.ts';
import { gatewayEndpoints } from './gateways.ts';
import { listenerEndpoints } from './listeners.ts';
import { nodeEndpoints } from './nodes.ts';
import { type ReplicaFeed, replicaEndpoints } from './replicas.ts';
import { routeTestEndpoints } from './route-test.ts';
import { routeEndpoints } from './routes.ts';
import { snapshotEndpoints } from './snapshot.ts';
import { topologyEndpoints } from './topology.ts';

/** Everything of Layout 1 but its probes. */
export const layout1Endpoints = (world: World, events: EventLog, feed: ReplicaFeed): readonly Endpoint[] => [
  single('/v1/summary', () => summarize(world)),
  ...snapshotEndpoints(world),
  single('/v1/snapshot-sync', () => snapshotSync(world)),
  ...listenerEndpoints(world),
  ...routeEndpoints(world),
  ...routeTestEndpoints(world),
  ...backendEndpoints(world),
  ...nodeEndpoints(world),
  ...replicaEndpoints(world, feed),
  ...gatewayEndpoints(world),
  ...catalogEndpoints(world),
  ...topologyEndpoints(world),
  ...dataPlaneEndpoints(world),
  ...dashboardEndpoints(world),
  ...eventEndpoints(events),
  ...recentEventEndpoints(events),
  ...descriptionEndpoints(world),
];
