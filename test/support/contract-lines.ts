import * as z from 'zod';

/*
 * The published contract, line by line, in words of its own: nothing here comes from the program, so a field that it loses is missed here.
 * Each shape is what a client of that contract reads; answers may have more.
 */

export type ContractPort = 'layout1' | 'layout2' | 'agent' | 'metrics';

export interface ContractLine {
  readonly port: ContractPort;
  readonly path: string;
  /** Of the JSON body. */
  readonly shape?: z.ZodType;
  /** Of a body that is no JSON. */
  readonly text?: RegExp;
}

const shape = z.looseObject;
const time = z.iso.datetime();
const count = z.int().min(0);
const flag = z.boolean();
const text = z.string().min(1);
/** An array that has something in it, so that the shape of its entries is really looked at. */
const some = <T extends z.ZodType>(entry: T) => z.array(entry).min(1);
const counts = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, count]));
const flags = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, flag]));

const summary = shape({
  snapshotVersion: text,
  generatedAt: time,
  ...counts(
    `gatewayCount listenerCount routeCount httpRouteCount grpcRouteCount tcpRouteCount udpRouteCount tlsRouteCount streamRouteCount backendCount
     endpointCount healthyEndpointCount secretCount nodeCount connectedNodeCount readyNodeCount currentVersionNodeCount currentVersionReadyCount
     driftedNodeCount readyListenerCount warningListenerCount failedListenerCount notAcceptedRouteCount expiringCertificateCount`.replaceAll(
      /\s+/g,
      ' ',
    ),
  ),
  leader: shape({ identity: text, isLeader: flag }),
  warnings: z.array(shape({ code: text, message: text })),
});

const capabilities = shape(
  flags(
    `overview gateways routes referenceGrants backendTls backendLb nodes topology diagnostics observability managedResources writes aiOverview aiServices aiTokenPolicies aiCost aiTraces aiUsage wasmPlugins chatbot circuitBreaker metrics settings httpRoutes grpcRoutes tcpRoutes udpRoutes tlsRoutes listenerSets`,
  ),
);

const snapshotSync = shape({
  snapshotVersion: text,
  generatedAt: time,
  publishedFor: text,
  summary: shape(
    counts(
      'nodeCount connectedNodeCount readyNodeCount currentVersionNodeCount currentVersionReadyCount driftedNodeCount disconnectedNodeCount awaitingReadyNodeCount',
    ),
  ),
  nodes: some(
    shape({
      nodeId: text,
      cluster: text,
      gateway: text,
      ...flags('connected ready'),
      sync: z.enum(['current', 'drifted']),
      state: z.enum(['snapshot-missing', 'disconnected', 'rejected', 'drifted', 'awaiting-ready', 'current-ready']),
      reason: text,
      message: text,
      lastConfigStatus: z.enum(['ACK', 'NACK']),
      lastAckVersion: text,
      lastSentVersion: text,
      lastSeenAt: time,
      connectedAt: time,
    }),
  ),
  warnings: z.array(shape({})),
});

const condition = shape({ type: text, status: z.enum(['True', 'False', 'Unknown']), reason: text });
const named = shape({ namespace: text, name: text });

const listener = shape({
  name: text,
  gateway: named,
  source: z.enum(['Gateway', 'ListenerSet']),
  section: text,
  addresses: z.array(shape({ value: text })),
  port: z.int(),
  protocol: text,
  attachedRoutes: count,
  routes: some(shape({ kind: text, namespace: text, name: text })),
  conditions: some(condition),
  ...flags('accepted programmed resolvedRefs'),
});

const route = shape({
  kind: z.enum(['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'UDPRoute', 'TLSRoute']),
  namespace: text,
  name: text,
  hostnames: z.array(text),
  parentRefs: some(shape({ name: text })),
  rules: some(shape({})),
  parents: some(shape({ parentRef: shape({ name: text }), controllerName: text, conditions: some(condition) })),
  ...flags('accepted resolvedRefs'),
});

const backend = shape({
  name: text,
  namespace: text,
  service: text,
  port: z.int(),
  protocol: text,
  endpoints: some(shape({ address: text, ...flags('healthy ready serving terminating') })),
  referencedBy: some(shape({ kind: text, namespace: text, name: text })),
});

const node = shape({
  nodeId: text,
  name: text,
  gateway: text,
  cluster: text,
  version: text,
  envoyVersion: text,
  ...flags('connected ready'),
  connectedAt: time,
  lastSeenAt: time,
  lastSentVersion: text,
  lastAckVersion: text,
  lastNonce: text,
  lastConfigStatus: z.enum(['ACK', 'NACK']),
  subscriptions: some(text),
  stream: z.enum(['delta', 'sotw']),
  peer: text,
  replica: text,
  supersededCount: count,
});

const managed = shape({
  apiVersion: text,
  kind: text,
  namespace: text,
  name: text,
  resource: shape({ apiVersion: text, kind: text, metadata: shape({ name: text }) }),
});

/** What the contract says of `/api/v1/clients`. */
const client = shape({
  node_id: text,
  cluster: text,
  version: text,
  connected_since: time,
  last_config_version: text,
  last_config_nonce: text,
  last_config_status: z.enum(['ACK', 'NACK']),
  subscriptions: some(text),
});

const backendHealth = (zone: z.ZodType) =>
  shape({ name: text, namespace: text, endpoints: some(shape({ address: hostPort(), healthy: flag, zone })) });

function hostPort(): z.ZodType {
  return z.string().regex(/^\S+:\d+$/);
}

/** Paths contain NODE, and names of the world that the test makes. */
export const contractLines: readonly ContractLine[] = [
  { port: 'layout1', path: '/livez' },
  { port: 'layout1', path: '/readyz' },
  { port: 'layout1', path: '/v1/summary', shape: summary },
  { port: 'layout1', path: '/v1/dashboard/capabilities', shape: capabilities },
  { port: 'layout1', path: '/v1/snapshot-sync', shape: snapshotSync },
  {
    port: 'layout1',
    path: '/v1/snapshot',
    shape: shape({
      id: text,
      generatedAt: time,
      listeners: some(shape({})),
      routes: some(shape({})),
      backends: some(shape({})),
      endpoints: shape({}),
      secrets: z.array(shape({})),
      policies: z.array(shape({})),
    }),
  },
  { port: 'layout1', path: '/v1/listeners', shape: some(listener) },
  { port: 'layout1', path: '/v1/listeners/default.edge.http', shape: listener },
  { port: 'layout1', path: '/v1/routes', shape: some(route) },
  { port: 'layout1', path: '/v1/routes?kind=HTTPRoute', shape: some(route) },
  { port: 'layout1', path: '/v1/routes?kind=TCPRoute', shape: z.array(route).length(0) },
  { port: 'layout1', path: '/v1/routes/httproute/default/shop', shape: route },
  { port: 'layout1', path: '/v1/rate-limit-policies', shape: z.array(shape({})) },
  { port: 'layout1', path: '/v1/backends', shape: some(backend) },
  { port: 'layout1', path: '/v1/backends/default/one', shape: backend },
  { port: 'layout1', path: '/v1/nodes', shape: some(node) },
  { port: 'layout1', path: '/v1/nodes/NODE', shape: node },
  {
    port: 'layout1',
    path: '/v1/infrastructure',
    shape: shape({
      summary: shape(counts('resourceCount readyCount driftedCount missingCount orphanCount')),
      resources: some(shape({ kind: text, name: text, role: text, state: text })),
      warnings: z.array(shape({})),
    }),
  },
  {
    port: 'layout1',
    path: '/v1/service-catalog',
    shape: some(
      shape({
        namespace: text,
        name: text,
        type: text,
        ports: some(shape({ port: z.int() })),
        endpoints: shape(counts('ready total')),
      }),
    ),
  },
  { port: 'layout1', path: '/v1/namespaces', shape: some(text) },
  {
    port: 'layout1',
    path: '/v1/resource-kinds',
    shape: some(
      shape({
        kind: text,
        apiVersion: text,
        category: text,
        description: text,
        ...flags('namespaced writable available'),
        availabilityMessage: z.string(),
      }),
    ),
  },
  {
    port: 'layout1',
    path: '/v1/topology',
    shape: shape({
      nodes: some(shape({ id: text, type: text, label: text, name: text, status: text })),
      edges: some(shape({ source: text, target: text, type: text })),
    }),
  },
  {
    port: 'layout1',
    path: '/v1/dataplanes',
    shape: some(shape({ nodeId: text, gateway: text, url: text, ready: flag })),
  },
  {
    port: 'layout1',
    path: '/v1/dataplanes/NODE/summary',
    shape: shape({
      status: shape({}),
      connections: shape({}),
      xds: shape({}),
      backends: shape(counts('healthy unhealthy')),
      traffic: shape({}),
    }),
  },
  ...['overview', 'services', 'token-usage', 'traces', 'cost'].map(
    (report): ContractLine => ({
      port: 'layout1',
      path: `/v1/ai/${report}`,
      shape: z.union([shape({}), z.array(z.unknown())]),
    }),
  ),
  { port: 'layout1', path: '/v1/resources', shape: some(managed) },
  { port: 'layout1', path: '/v1/resources/httproute/default/shop', shape: managed },
  { port: 'layout1', path: '/v1/chatbot/config', shape: shape({}) },
  { port: 'layout1', path: '/v1/metrics/config', shape: shape({}) },
  {
    port: 'metrics',
    path: '/metrics',
    text: /^(?=[\s\S]*gateway_snapshot_last_build_success 1)(?=[\s\S]*gateway_snapshot_build_failures_total )(?=[\s\S]*gateway_dataplane_ready\{)(?=[\s\S]*xds_stream_terminations_total)(?=[\s\S]*request_duration_seconds)/,
  },
  { port: 'layout2', path: '/healthz', text: /^ok$/ },
  { port: 'layout2', path: '/readyz', text: /^ready$/ },
  {
    port: 'layout2',
    path: '/api/v1/config/snapshot',
    shape: shape({
      id: text,
      generated_at: time,
      listeners: some(shape({})),
      routes: some(shape({})),
      backends: some(shape({})),
    }),
  },
  {
    port: 'layout2',
    path: '/api/v1/config/snapshot/version',
    shape: shape({ id: text, generated_at: time, ...counts('gateways routes backends clients_connected') }),
  },
  { port: 'layout2', path: '/api/v1/gateways', shape: some(named) },
  { port: 'layout2', path: '/api/v1/gateways/default/edge', shape: named },
  { port: 'layout2', path: '/api/v1/routes', shape: some(named) },
  { port: 'layout2', path: '/api/v1/routes/default/shop', shape: named },
  { port: 'layout2', path: '/api/v1/backends', shape: some(backendHealth(z.string())) },
  { port: 'layout2', path: '/api/v1/backends/default/one', shape: backendHealth(z.string()) },
  { port: 'layout2', path: '/api/v1/clients', shape: some(client) },
  { port: 'layout2', path: '/api/v1/clients/NODE', shape: client },
  { port: 'layout2', path: '/api/v1/metrics', text: /^# HELP / },
  { port: 'agent', path: '/healthz', text: /^ok$/ },
  { port: 'agent', path: '/readyz', text: /^ready/ },
  {
    port: 'agent',
    path: '/api/v1/status',
    shape: shape({
      node_id: text,
      version: text,
      uptime_seconds: count,
      ready: z.literal(true),
      config_version: text,
      config_applied_at: time,
      listeners: some(shape({ name: text, address: hostPort(), protocol: text, active: flag })),
    }),
  },
  { port: 'agent', path: '/api/v1/config', shape: shape({ version: text }) },
  { port: 'agent', path: '/api/v1/config/version', shape: shape({ id: text }) },
  { port: 'agent', path: '/api/v1/stats', shape: shape({}) },
  {
    port: 'agent',
    path: '/api/v1/stats/connections',
    shape: shape({
      ...counts('active_connections total_connections connection_errors'),
      connections_per_second: z.number(),
    }),
  },
  { port: 'agent', path: '/api/v1/stats/backends', shape: some(backendHealth(z.string())) },
  {
    port: 'agent',
    path: '/api/v1/xds/status',
    shape: shape({
      connected: z.literal(true),
      controlplane_address: hostPort(),
      connected_since: time,
      last_config_version: text,
      last_config_nonce: text,
      last_config_status: z.literal('ACK'),
      stream_reconnects: count,
    }),
  },
  {
    port: 'agent',
    path: '/api/v1/metrics',
    text: /^(?=[\s\S]*request_duration_seconds)(?=[\s\S]*backend_connection_errors_total)/,
  },
];
