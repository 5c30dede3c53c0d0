import { type BackendRecord, backendRecord, listBackends } from '../backends/backend-record.ts';
import { indexSlices } from '../backends/endpoint-records.ts';
import { getBackend } from '../backends/get-backend.ts';
import { backendList } from '../backends/list.ts';
import { gatewayRecord, listGateways } from '../gateways/gateway-record.ts';
import { getGateway } from '../gateways/get-gateway.ts';
import { gatewayList } from '../gateways/list.ts';
import { LazyList } from '../http/index.ts';
import { nodeListOf } from '../nodes/list.ts';
import { nodeRecord } from '../nodes/node-record.ts';
import { type Endpoint, getSnapshot, list, ofNode, single, wholeSnapshot } from '../resource/endpoint.ts';
import { snapshotRecord } from '../snapshot/snapshot-record.ts';
import type { World } from '../world.ts';
import { presentClient } from './clients.ts';
import { routeEndpoints } from './routes.ts';
import { snakeKeys, snakeLists } from './snake-case.ts';
import { snakeSorts } from './snake-sorts.ts';

/** Everything of Layout 2 on the control plane but probes and metrics. */
export const layout2Endpoints = (world: World): readonly Endpoint[] => [
  wholeSnapshot('/api/v1/config/snapshot', world, (snapshot) => snakeLists(snapshotRecord(snapshot, world.graph))),
  single('/api/v1/config/snapshot/version', () => snapshotVersion(world)),
  ...gatewayEndpoints(world),
  ...routeEndpoints(world),
  ...backendEndpoints(world),
  ...clientEndpoints(world),
];

function snapshotVersion({ graph, nodes }: World) {
  const { id, generatedAt, counts } = getSnapshot(graph);
  return {
    id,
    generated_at: generatedAt,
    gateways: counts.gateways,
    routes: counts.routes,
    backends: counts.backends,
    clients_connected: nodes.list().filter(({ connected }) => connected).length,
  };
}

const gatewayEndpoints = (world: World): readonly Endpoint[] => [
  list('/api/v1/gateways', gatewayList, {
    entries: () => listGateways(world.graph),
    present: (page) => new LazyList(page, (gateway) => snakeKeys(gatewayRecord(gateway, world))),
  }),
  single('/api/v1/gateways/:namespace/:name', (params) => snakeKeys(gatewayRecord(getGateway(params, world), world))),
];

const backendEndpoints = (world: World): readonly Endpoint[] => [
  list('/api/v1/backends', backendList, {
    entries: () => listBackends(world.graph),
    present: (page) => {
      const slicesOf = indexSlices(world.graph);
      return new LazyList(page, (backend) => presentBackend(backendRecord(backend, { graph: world.graph, slicesOf })));
    },
  }),
  single('/api/v1/backends/:namespace/:name', (params) => {
    const slicesOf = indexSlices(world.graph);
    return presentBackend(backendRecord(getBackend(params, world), { graph: world.graph, slicesOf }));
  }),
];

/** The contract's fields and no more. */
const presentBackend = ({ name, namespace, endpoints }: BackendRecord) => ({
  name,
  namespace,
  endpoints: endpoints.map(({ address, healthy, zone }) => ({ address, healthy, zone: zone ?? '' })),
});

const clientEndpoints = (world: World): readonly Endpoint[] => [
  list('/api/v1/clients', snakeSorts(nodeListOf(world.graph)), {
    entries: () => world.nodes.list(),
    present: (page) => new LazyList(page, (node) => presentClient(nodeRecord(node, world))),
  }),
  ofNode('/api/v1/clients/:nodeId', world, (node) => presentClient(nodeRecord(node, world))),
];
