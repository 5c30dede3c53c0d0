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
import type { AdminSources } from '../sources.ts';
import { presentClient } from './clients.ts';
import { routeEndpoints } from './routes.ts';
import { snakeKeys, snakeLists } from './snake-case.ts';
import { snakeSorts } from './snake-sorts.ts';

/** Everything of Layout 2 on the control plane but probes and metrics. */
export const layout2Endpoints = (sources: AdminSources): readonly Endpoint[] => [
  wholeSnapshot('/api/v1/config/snapshot', sources, (snapshot) => snakeLists(snapshotRecord(snapshot, sources.graph))),
  single('/api/v1/config/snapshot/version', () => snapshotVersion(sources)),
  ...gatewayEndpoints(sources),
  ...routeEndpoints(sources),
  ...backendEndpoints(sources),
  ...clientEndpoints(sources),
];

function snapshotVersion({ graph, nodes }: AdminSources) {
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

const gatewayEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  list('/api/v1/gateways', gatewayList, {
    entries: () => listGateways(sources.graph),
    present: (page) => new LazyList(page, (gateway) => snakeKeys(gatewayRecord(gateway, sources))),
  }),
  single('/api/v1/gateways/:namespace/:name', (params) =>
    snakeKeys(gatewayRecord(getGateway(params, sources), sources)),
  ),
];

const backendEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  list('/api/v1/backends', backendList, {
    entries: () => listBackends(sources.graph),
    present: (page) => {
      const slicesOf = indexSlices(sources.graph);
      return new LazyList(page, (backend) =>
        presentBackend(backendRecord(backend, { graph: sources.graph, slicesOf })),
      );
    },
  }),
  single('/api/v1/backends/:namespace/:name', (params) => {
    const slicesOf = indexSlices(sources.graph);
    return presentBackend(backendRecord(getBackend(params, sources), { graph: sources.graph, slicesOf }));
  }),
];

/** The contract's fields and no more. */
const presentBackend = ({ name, namespace, endpoints }: BackendRecord) => ({
  name,
  namespace,
  endpoints: endpoints.map(({ address, healthy, zone }) => ({ address, healthy, zone: zone ?? '' })),
});

const clientEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  list('/api/v1/clients', snakeSorts(nodeListOf(sources.graph)), {
    entries: () => sources.nodes.list(),
    present: (page) => new LazyList(page, (node) => presentClient(nodeRecord(node, sources))),
  }),
  ofNode('/api/v1/clients/:nodeId', sources, (node) => presentClient(nodeRecord(node, sources))),
];
