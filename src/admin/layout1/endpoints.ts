import { type Endpoint, single, wholeSnapshot } from '../endpoint.ts';
import type { EventLog } from '../events/index.ts';
import { snapshotRecord, snapshotSync, summarize, type World } from '../read-model/index.ts';
import { absentEndpoints } from './absent.ts';
import { backendEndpoints } from './backends.ts';
import { catalogEndpoints } from './catalog.ts';
import { dashboardEndpoints } from './dashboard.ts';
import { dataPlaneEndpoints } from './dataplanes.ts';
import { descriptionEndpoints } from './description.ts';
import { eventEndpoints } from './events.ts';
import { gatewayEndpoints } from './gateways.ts';
import { listenerEndpoints } from './listeners.ts';
import { nodeEndpoints } from './nodes.ts';
import { routeEndpoints } from './routes.ts';
import { topologyEndpoints } from './topology.ts';

/** Everything of Layout 1 but its probes. */
export const layout1Endpoints = (world: World, events: EventLog): readonly Endpoint[] => [
  single('/v1/summary', () => summarize(world)),
  wholeSnapshot('/v1/snapshot', world, snapshotRecord),
  single('/v1/snapshot-sync', () => snapshotSync(world)),
  ...listenerEndpoints(world),
  ...routeEndpoints(world),
  ...backendEndpoints(world),
  ...nodeEndpoints(world),
  ...gatewayEndpoints(world),
  ...catalogEndpoints(world),
  ...topologyEndpoints(world),
  ...dataPlaneEndpoints(world),
  ...dashboardEndpoints(world),
  ...eventEndpoints(events),
  ...descriptionEndpoints(world),
  ...absentEndpoints(),
];
