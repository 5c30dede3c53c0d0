import type { MetricsText } from '../../telemetry/index.ts';
import { backendRecord } from '../backends/backend-record.ts';
import { indexSlices } from '../backends/endpoint-records.ts';
import { backends, getBackend } from '../backends/index.ts';
import type { BackendRecord } from '../backends/record.ts';
import { gatewayRecord } from '../gateways/gateway-record.ts';
import { gateways, getGateway } from '../gateways/index.ts';
import { setTag } from '../http/index.ts';
import { showMetrics } from '../metrics-app.ts';
import { getNode, whichNode } from '../nodes/get-node.ts';
import { nodeList } from '../nodes/index.ts';
import { nodeRecord } from '../nodes/node-record.ts';
import { type Endpoint, type Endpoints, get } from '../resource/endpoint.ts';
import { timeText } from '../resource/leaves.ts';
import { getSnapshot } from '../snapshot/index.ts';
import { snapshotRecord, snapshotTag } from '../snapshot/snapshot-record.ts';
import type { AdminSources } from '../sources.ts';
import { presentClient } from './clients.ts';
import { listOf, layout2Tag as tag } from './list.ts';
import { layout2Routes } from './routes.ts';
import * as schemas from './schemas.ts';
import { snakeKeys, snakeLists } from './snake-case.ts';

/** What Layout 2 shows: what Layout 1 does, and the metrics. */
export interface Layout2Sources extends AdminSources {
  readonly metrics: MetricsText;
}

const health = get({
  path: '/healthz',
  tag,
  summary: 'Whether the process is alive',
  media: 'text/plain',
  isTagged: false,
  handle: () => undefined,
});

const snapshots: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/api/v1/config/snapshot',
      tag,
      summary: 'The whole intermediate representation',
      answer: schemas.snapshot,
      errors: ['not_ready'],
      // Made only for a client that has not got it yet.
      handle({ ctx }, { graph }: AdminSources) {
        const found = getSnapshot({ graph });
        return setTag(ctx, snapshotTag(found, graph)) ? undefined : snakeLists(snapshotRecord(found, graph));
      },
    }),
    get({
      path: '/api/v1/config/snapshot/version',
      tag,
      summary: 'Which snapshot is the newest',
      answer: schemas.snapshotVersion,
      errors: ['not_ready'],
      handle(_, { graph, nodes }: AdminSources) {
        const { id, generatedAt, counts } = getSnapshot({ graph });
        return {
          id,
          generated_at: timeText(generatedAt),
          gateways: counts.gateways,
          routes: counts.routes,
          backends: counts.backends,
          clients_connected: nodes.list().filter(({ connected }) => connected).length,
        };
      },
    }),
  ],
};

const ourGateways: Endpoints<AdminSources> = {
  endpoints: [
    listOf(gateways.list, {
      path: '/api/v1/gateways',
      summary: 'Gateways of our classes',
      record: schemas.gateway,
      present: (sources) => (entry) => snakeKeys(gatewayRecord(entry, sources)),
    }),
    get({
      path: '/api/v1/gateways/:namespace/:name',
      tag,
      summary: 'One Gateway',
      answer: schemas.gateway,
      needsSync: true,
      errors: ['gateway_not_found'],
      handle: ({ params }, sources: AdminSources) => snakeKeys(gatewayRecord(getGateway(params, sources), sources)),
    }),
  ],
};

/** The contract's fields and no more. */
const presentBackend = ({ name, namespace, endpoints }: BackendRecord) => ({
  name,
  namespace,
  endpoints: endpoints.map(({ address, healthy, zone }) => ({ address, healthy, zone: zone ?? '' })),
});

const usedBackends: Endpoints<AdminSources> = {
  endpoints: [
    listOf(backends.list, {
      path: '/api/v1/backends',
      summary: 'Backends',
      record: schemas.backend,
      present({ graph }) {
        const slicesOf = indexSlices(graph);
        return (entry) => presentBackend(backendRecord(entry, { graph, slicesOf }));
      },
    }),
    get({
      path: '/api/v1/backends/:namespace/:name',
      tag,
      summary: 'One backend',
      answer: schemas.backend,
      needsSync: true,
      errors: ['backend_not_found', 'name_ambiguous'],
      handle({ params }, sources: AdminSources) {
        const { graph } = sources;
        const slicesOf = indexSlices(graph);
        return presentBackend(backendRecord(getBackend(params, sources), { graph, slicesOf }));
      },
    }),
  ],
};

const clients: Endpoints<AdminSources> = {
  endpoints: [
    listOf(nodeList, {
      path: '/api/v1/clients',
      needsSync: false,
      summary: 'xDS clients, those gone for less than ten minutes included',
      record: schemas.client,
      present: (sources) => (node) => presentClient(nodeRecord(node, sources)),
    }),
    get({
      path: '/api/v1/clients/:nodeId',
      tag,
      summary: 'One xDS client',
      answer: schemas.client,
      query: whichNode('clients'),
      errors: ['query_invalid', 'node_not_found'],
      handle({ params, query }, sources: AdminSources) {
        const node = getNode({ nodeId: params.nodeId, gateway: query.get('gateway') }, sources);
        return presentClient(nodeRecord(node, sources));
      },
    }),
  ],
};

const metrics = get({
  path: '/api/v1/metrics',
  tag,
  summary: 'Prometheus metrics',
  media: 'text/plain',
  isTagged: false,
  handle: () => undefined,
});

/** Layout 2 of the control plane: everything that its port answers, but `/readyz`, which Layout 1 has too. */
export const layout2: readonly Endpoint<Layout2Sources>[] = [
  {
    ...health,
    // Whatever a probe has in its query.
    handle(ctx) {
      ctx.body = 'ok';
    },
  },
  ...[snapshots, ourGateways, layout2Routes, usedBackends, clients].flatMap(({ endpoints }) => endpoints),
  { ...metrics, handle: (ctx, sources) => showMetrics(sources.metrics)(ctx) },
];
