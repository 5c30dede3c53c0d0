import { type Endpoint, single, wholeSnapshot } from '../endpoint.ts';
import { snapshotRecord, snapshotSync, summarize, type World } from '../read-model/index.ts';
import { backendEndpoints } from './backends.ts';
import { listenerEndpoints } from './listeners.ts';
import { nodeEndpoints } from './nodes.ts';
import { routeEndpoints } from './routes.ts';

/** Everything of Layout 1 but its probes. */
export const layout1Endpoints = (world: World): readonly Endpoint[] => [
  single('/v1/summary', () => summarize(world)),
  wholeSnapshot('/v1/snapshot', world, snapshotRecord),
  single('/v1/snapshot-sync', () => snapshotSync(world)),
  ...listenerEndpoints(world),
  ...routeEndpoints(world),
  ...backendEndpoints(world),
  ...nodeEndpoints(world),
];
