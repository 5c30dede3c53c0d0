import { backendList } from '../backends/list.ts';
import { gatewayList } from '../gateways/list.ts';
import * as schemas from '../layout2/schemas.ts';
import { snakeSorts } from '../layout2/snake-sorts.ts';
import { nodeList } from '../nodes/list.ts';
import { routeListNames } from '../routes/list.ts';
import { listOf, type Operation } from './operation.ts';

const read = (path: string, summary: string, more: Partial<Operation>): Operation => ({
  method: 'get',
  path,
  tag: 'Layout 2, control plane',
  summary,
  ...more,
});

/** Layout 2 of the control plane: everything that its port answers, but `/readyz`, which Layout 1 has too. */
export const layout2Operations: readonly Operation[] = [
  read('/healthz', 'Whether the process is alive', { media: 'text/plain' }),
  read('/api/v1/config/snapshot', 'The whole intermediate representation', {
    answer: schemas.snapshot,
    errors: ['not_ready'],
  }),
  read('/api/v1/config/snapshot/version', 'Which snapshot is the newest', {
    answer: schemas.snapshotVersion,
    errors: ['not_ready'],
  }),
  read('/api/v1/gateways', 'Gateways of our classes', listOf(schemas.gateway.array(), gatewayList)),
  read('/api/v1/gateways/:namespace/:name', 'One Gateway', { answer: schemas.gateway, errors: ['gateway_not_found'] }),
  read('/api/v1/routes', 'Routes of every kind', listOf(schemas.route.array(), snakeSorts(routeListNames))),
  read('/api/v1/routes/:namespace/:name', 'One route; an array where several kinds share the name', {
    answer: schemas.route.or(schemas.route.array()),
    query: { kind: 'Only the route of this kind' },
    errors: ['query_invalid', 'route_not_found'],
  }),
  read('/api/v1/backends', 'Backends', listOf(schemas.backend.array(), backendList)),
  read('/api/v1/backends/:namespace/:name', 'One backend', {
    answer: schemas.backend,
    errors: ['backend_not_found', 'name_ambiguous'],
  }),
  read(
    '/api/v1/clients',
    'xDS clients, those gone for less than ten minutes included',
    listOf(schemas.client.array(), snakeSorts(nodeList)),
  ),
  read('/api/v1/clients/:nodeId', 'One xDS client', {
    answer: schemas.client,
    query: { gateway: 'Which of the clients with this id, where Gateways have one each: `NAMESPACE/NAME`' },
    errors: ['query_invalid', 'node_not_found'],
  }),
  read('/api/v1/metrics', 'Prometheus metrics', { media: 'text/plain' }),
];
