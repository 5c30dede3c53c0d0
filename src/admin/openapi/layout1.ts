import * as z from 'zod';
import { backendList } from '../backends/list.ts';
import { certificateList } from '../certificates/list.ts';
import { agentReports } from '../dataplanes/index.ts';
import { gatewayList } from '../gateways/list.ts';
import { listenerList } from '../listeners/list.ts';
import { nodeList } from '../nodes/list.ts';
import { routeListNames } from '../routes/list.ts';
import * as schemas from '../schemas.ts';
import { namespaceList, resourceKindList, serviceList } from '../service-catalog/list.ts';
import { listOf, type Operation } from './operation.ts';

const inspection = (path: string, summary: string, more: Partial<Operation>): Operation => ({
  method: 'get',
  path,
  tag: 'Layout 1',
  summary,
  ...more,
});

const reportSummary = `What the agent of a data plane answers itself, in the words of Layout 2: ${[...agentReports.keys()].join(', ')}`;
const whichNode = { gateway: 'Which of the data planes with this id, where Gateways have one each: `NAMESPACE/NAME`' };
const routes = listOf(schemas.route.array(), routeListNames);

/** Layout 1: everything that its port answers. */
export const layout1Operations: readonly Operation[] = [
  inspection('/livez', 'Whether the process is alive', { answer: schemas.livez }),
  inspection('/readyz', 'Whether the first full list of resources is in', {
    answer: schemas.readyz,
    errors: ['not_ready'],
  }),
  inspection('/v1/summary', 'The state of everything in numbers', { answer: schemas.summary }),
  inspection('/v1/snapshot', 'The whole intermediate representation, or what one data plane is sent of it', {
    answer: schemas.snapshot.or(schemas.envoySnapshot),
    query: {
      format: '`ir`, or `envoy`: the resources of one data plane in protobuf JSON, keys redacted',
      node: 'With `format=envoy`: which data plane',
      ...whichNode,
    },
    errors: ['query_invalid', 'node_not_found', 'not_ready'],
  }),
  inspection('/v1/snapshot-sync', 'Whether each data plane runs the newest snapshot', { answer: schemas.snapshotSync }),
  inspection('/v1/listeners', 'Listeners of all Gateways', listOf(schemas.listener.array(), listenerList)),
  inspection('/v1/listeners/:name', 'One listener', {
    answer: schemas.listener,
    errors: ['listener_not_found', 'name_ambiguous'],
  }),
  inspection('/v1/routes', 'Routes of every kind', {
    ...routes,
    answer: schemas.route.array().or(schemas.groupedRoutes),
    query: { ...routes.query, view: '`flat`, or `grouped` by kind' },
  }),
  inspection('/v1/routes/:kind/:namespace/:name', 'One route', {
    answer: schemas.route,
    errors: ['route_kind_unknown', 'route_not_found'],
  }),
  {
    method: 'post',
    path: '/v1/route-test',
    tag: 'Layout 1',
    summary: 'What becomes of a request, and why; changes nothing, and the read-only token may ask',
    body: schemas.routeTestRequest,
    answer: schemas.routeTest,
    errors: [
      'body_malformed',
      'body_too_large',
      'body_too_costly',
      'reading_busy',
      'media_type_unsupported',
      'gateway_not_found',
      'not_ready',
    ],
  },
  inspection('/v1/backends', 'Ports of Services that routes forward to', listOf(schemas.backend.array(), backendList)),
  inspection('/v1/backends/:namespace/:name', 'One backend', {
    answer: schemas.backend,
    errors: ['backend_not_found', 'name_ambiguous'],
  }),
  inspection('/v1/nodes', 'Data planes as their streams tell', listOf(schemas.node.array(), nodeList)),
  inspection('/v1/nodes/:nodeId', 'One data plane', {
    answer: schemas.node,
    query: whichNode,
    errors: ['query_invalid', 'node_not_found'],
  }),
  {
    method: 'delete',
    path: '/v1/nodes/:nodeId/refusals',
    tag: 'Layout 1',
    summary: 'Offers a data plane once more what it refused, and answers what that was',
    answer: schemas.offeredAgain,
    query: whichNode,
    errors: ['query_invalid', 'node_not_found', 'node_not_connected', 'origin_foreign'],
  },
  inspection('/v1/replicas', 'Control planes, this one first', { answer: schemas.replica.array() }),
  inspection('/v1/replicas/feed', 'What this control plane tells the others, as it happens', {
    media: 'text/event-stream',
    errors: ['query_invalid', 'too_many_streams'],
  }),
  inspection('/v1/gateways', 'Gateways of our classes', listOf(schemas.gateway.array(), gatewayList)),
  inspection('/v1/gateways/:namespace/:name', 'One Gateway', {
    answer: schemas.gateway,
    errors: ['gateway_not_found'],
  }),
  inspection(
    '/v1/certificates',
    'Certificates with the days they have left and who uses them',
    listOf(schemas.certificateUse.array(), certificateList),
  ),
  inspection('/v1/namespaces', 'Known namespaces', listOf(schemas.namespace.array(), namespaceList)),
  inspection('/v1/resource-kinds', 'Kinds that are read', listOf(schemas.resourceKind.array(), resourceKindList)),
  inspection('/v1/service-catalog', 'All Services', listOf(schemas.catalogService.array(), serviceList)),
  inspection('/v1/topology', 'What depends on what', {
    answer: schemas.topology,
    query: {
      type: 'Only nodes of this type',
      namespace: 'Only nodes of this namespace',
      gateway: 'Only this Gateway (`NAMESPACE/NAME` or `NAME`) and all around it',
      name: 'Only nodes with this name, and their neighbours',
    },
    errors: ['query_invalid'],
  }),
  inspection('/v1/infrastructure', 'What runs for the Gateways', { answer: schemas.infrastructure }),
  inspection('/v1/dataplanes', 'Data planes and where their agents are', listOf(schemas.dataPlane.array(), nodeList)),
  inspection('/v1/dataplanes/:nodeId/summary', 'What the agent of a data plane says now', {
    answer: schemas.dataPlaneSummary,
    query: whichNode,
    errors: ['query_invalid', 'node_not_found', 'dataplane_unreachable'],
  }),
  inspection('/v1/dataplanes/:nodeId/reports/:report', reportSummary, {
    answer: z.unknown(),
    query: whichNode,
    errors: ['query_invalid', 'not_found', 'node_not_found', 'dataplane_unreachable'],
  }),
  inspection('/v1/dashboard/capabilities', 'What works now', { answer: schemas.capabilities }),
  inspection('/v1/auth/verify', 'Whether the token is good', { answer: schemas.verified }),
  inspection('/v1/events', 'What happens, as it happens; `Last-Event-ID` resumes', {
    media: 'text/event-stream',
    query: { types: 'Which of snapshot, node and resource, with commas' },
    errors: ['query_invalid', 'too_many_streams'],
  }),
  inspection('/v1/events/recent', 'What has happened, the newest first', {
    answer: schemas.recentEvents,
    query: {
      types: 'Which of snapshot, node and resource, with commas',
      limit: 'How many at most, up to 500',
      offset: 'How many entries to leave out before the first',
    },
    errors: ['query_invalid'],
  }),
  inspection('/openapi.json', 'This description', { media: 'application/json' }),
  inspection('/docs', 'This description as a page', { media: 'text/html' }),
];
