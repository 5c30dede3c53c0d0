import * as z from 'zod';

// What the answers of Layout 1 look like. Objects are strict: a field that is not written here is not shown.

const time = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);
const flag = z.boolean();
const object = z.strictObject;

export const reference = object({ kind: z.string(), namespace: z.string(), name: z.string() });

export const condition = object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  observedGeneration: z.number().optional(),
});

const warning = object({ code: z.string(), message: z.string() });

const nodeCounts = {
  nodeCount: count,
  connectedNodeCount: count,
  readyNodeCount: count,
  currentVersionNodeCount: count,
  driftedNodeCount: count,
};

export const summary = object({
  snapshotVersion: z.string().nullable(),
  generatedAt: time.nullable(),
  gatewayCount: count,
  listenerCount: count,
  routeCount: count,
  httpRouteCount: count,
  grpcRouteCount: count,
  tcpRouteCount: count,
  udpRouteCount: count,
  tlsRouteCount: count,
  backendCount: count,
  endpointCount: count,
  healthyEndpointCount: count,
  secretCount: count,
  ...nodeCounts,
  readyListenerCount: count,
  warningListenerCount: count,
  failedListenerCount: count,
  notAcceptedRouteCount: count,
  expiringCertificateCount: count,
  leader: object({ identity: z.string(), isLeader: flag }),
  version: z.string(),
  warnings: z.array(warning),
});

const certificateFacts = {
  subject: z.string(),
  sans: z.array(z.string()),
  issuer: z.string(),
  notBefore: time,
  notAfter: time,
  fingerprint: z.string(),
};

const certificate = object({
  namespace: z.string(),
  name: z.string(),
  subject: certificateFacts.subject.nullable(),
  sans: certificateFacts.sans.nullable(),
  issuer: certificateFacts.issuer.nullable(),
  notBefore: time.nullable(),
  notAfter: time.nullable(),
  fingerprint: certificateFacts.fingerprint.nullable(),
});

export const listener = object({
  name: z.string(),
  gateway: object({ namespace: z.string(), name: z.string() }),
  source: z.enum(['Gateway', 'ListenerSet']),
  section: z.string(),
  addresses: z.array(object({ type: z.string(), value: z.string() })),
  port: z.int(),
  protocol: z.string(),
  hostname: z.string().nullable(),
  tls: object({
    mode: z.string(),
    certificates: z.array(certificate),
    frontendValidation: z.enum(['AllowValidOnly', 'AllowInsecureFallback']).nullable(),
  }).nullable(),
  attachedRoutes: count,
  routes: z.array(reference),
  conditions: z.array(condition),
  accepted: flag,
  programmed: flag,
  resolvedRefs: flag,
});

/** `rules` and `parentRefs` are what the user wrote, as the Gateway API has it. */
export const route = object({
  kind: z.enum(['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'UDPRoute', 'TLSRoute']),
  namespace: z.string(),
  name: z.string(),
  hostnames: z.array(z.string()),
  parentRefs: z.array(z.looseObject({ name: z.string() })),
  rules: z.array(z.looseObject({})),
  parents: z.array(
    object({
      parentRef: z.looseObject({ name: z.string() }),
      controllerName: z.string(),
      conditions: z.array(condition),
    }),
  ),
  accepted: flag,
  resolvedRefs: flag,
  createdAt: time.nullable(),
  generation: z.int().nullable(),
});

export const groupedRoutes = object({
  http: z.array(route),
  grpc: z.array(route),
  tcp: z.array(route),
  udp: z.array(route),
  tls: z.array(route),
});

export const backend = object({
  name: z.string(),
  namespace: z.string(),
  service: z.string(),
  port: z.int(),
  protocol: z.enum(['http1', 'h2c', 'tcp', 'udp']),
  endpoints: z.array(
    object({
      address: z.string(),
      healthy: flag,
      ready: flag,
      serving: flag,
      terminating: flag,
      zone: z.string().nullable(),
      node: z.string().nullable(),
    }),
  ),
  tls: object({
    hostname: z.string(),
    subjectAltNames: z.array(z.string()),
    authorities: z.enum(['configured', 'system']),
  }).nullable(),
  referencedBy: z.array(reference),
  loadBalancing: object({ policy: z.literal('round_robin'), prefersZone: flag }),
  sessionPersistence: object({
    type: z.enum(['Cookie', 'Header']),
    name: z.string(),
    lifetimeType: z.enum(['Session', 'Permanent']),
    absoluteTimeout: z.string().nullable(),
    source: reference,
  }).nullable(),
});

const answer = z.enum(['ACK', 'NACK']).nullable();

export const node = object({
  nodeId: z.string(),
  name: z.string(),
  gateway: z.string(),
  cluster: z.string(),
  version: z.string(),
  envoyVersion: z.string(),
  connected: flag,
  ready: flag,
  connectedAt: time,
  disconnectedAt: time.nullable(),
  disconnectReason: z.string().nullable(),
  lastSeenAt: time,
  lastSentVersion: z.string().nullable(),
  lastAckVersion: z.string().nullable(),
  lastConfigVersion: z.string().nullable(),
  lastNonce: z.string().nullable(),
  lastConfigStatus: answer,
  lastNackVersion: z.string().nullable(),
  lastNackMessage: z.string().nullable(),
  subscriptions: z.array(z.string()),
  stream: z.enum(['delta', 'sotw']),
  peer: z.string(),
  replica: z.string(),
  staleSince: time.nullable(),
  supersededCount: count,
});

export const replica = object({
  identity: z.string(),
  address: z.string().nullable(),
  state: z.enum(['self', 'connected', 'lost', 'unreachable', 'left']),
  snapshotVersion: z.string().nullable(),
  nodeCount: count,
  lastHeardAt: time.nullable(),
});

export const snapshotSync = object({
  snapshotVersion: z.string().nullable(),
  generatedAt: time.nullable(),
  publishedFor: z.string().nullable(),
  summary: object({ ...nodeCounts, disconnectedNodeCount: count }),
  nodes: z.array(
    object({
      nodeId: z.string(),
      cluster: z.string(),
      gateway: z.string(),
      connected: flag,
      ready: flag,
      sync: z.enum(['current', 'drifted']),
      state: z.enum(['snapshot-missing', 'disconnected', 'rejected', 'drifted', 'awaiting-ready', 'current-ready']),
      reason: z.string(),
      message: z.string(),
      lastConfigStatus: answer,
      lastAckVersion: z.string().nullable(),
      lastSentVersion: z.string().nullable(),
      lastNackVersion: z.string().nullable(),
      lastNackNonce: z.string().nullable(),
      lastNackMessage: z.string().nullable(),
      lastSeenAt: time,
      connectedAt: time,
      disconnectedAt: time.nullable(),
      replica: z.string(),
    }),
  ),
  warnings: z.array(warning),
});

const host = { gateway: z.string(), table: z.string(), scope: z.enum(['exact', 'fallback']), host: z.string() };

/** Matches, rules and chains are the IR's own, which `src/ir` describes. */
export const snapshot = object({
  id: z.string(),
  generatedAt: time,
  listeners: z.array(
    object({
      gateway: z.string(),
      key: z.string(),
      transport: z.enum(['tcp', 'udp', 'quic']),
      bind: object({ address: z.string(), port: z.int() }),
      proxyProtocol: z.enum(['required', 'optional']).optional(),
      bufferBytes: z.int().optional(),
      keepalive: z.looseObject({}).optional(),
      chains: z.array(z.looseObject({ kind: z.string(), name: z.string() })),
    }),
  ),
  hosts: z.array(object({ ...host, fallThrough: flag, misdirected: flag })),
  streams: z.array(
    object({
      gateway: z.string(),
      table: z.string(),
      host: z.string(),
      source: z.string().optional(),
      shares: z.array(object({ backend: z.string().optional(), weight: z.int() })),
    }),
  ),
  routes: z.array(object({ ...host, id: z.string(), match: z.looseObject({}), rule: z.looseObject({}) })),
  backends: z.array(
    object({
      key: z.string(),
      namespace: z.string(),
      service: z.string(),
      port: z.int(),
      protocol: z.string(),
      kind: z.literal('XBackend').optional(),
      hostname: z.string().optional(),
      tls: object({
        serverName: z.string(),
        names: z.array(object({ kind: z.enum(['dns', 'uri']), value: z.string() })),
        authorities: z.enum(['configured', 'system']),
        clientCertificate: z.string().optional(),
        ownCertificate: z.string().optional(),
      }).optional(),
      retryBudget: object({ percent: z.number(), intervalMs: count, minPerSecond: count }).optional(),
      prefersZone: z.literal(true).optional(),
      tuning: z.looseObject({}).optional(),
    }),
  ),
  endpoints: z.record(
    z.string(),
    z.array(
      object({
        address: z.string(),
        port: z.int(),
        health: z.enum(['ready', 'draining']),
        zone: z.string().optional(),
        node: z.string().optional(),
      }),
    ),
  ),
  secrets: z.array(
    object({ key: z.string(), ...certificateFacts })
      .partial()
      .required({ key: true }),
  ),
  policies: z.array(
    object({
      kind: z.enum(['BackendPolicy', 'BackendTLSPolicy', 'ListenerPolicy', 'XBackendTrafficPolicy']),
      namespace: z.string(),
      name: z.string(),
      targets: z.array(object({ kind: z.string(), name: z.string(), sectionName: z.string().nullable() })),
      gateways: z.array(z.string()),
      accepted: flag,
    }),
  ),
});

export const envoySnapshot = object({
  id: z.string(),
  gateway: z.string(),
  resources: z.array(
    object({ typeUrl: z.string(), name: z.string(), version: z.string(), resource: z.looseObject({}) }),
  ),
});

export const gateway = object({
  namespace: z.string(),
  name: z.string(),
  gatewayClass: z.string(),
  addresses: z.array(object({ type: z.string(), value: z.string() })),
  listeners: z.array(
    object({
      name: z.string(),
      port: z.int(),
      protocol: z.string(),
      hostname: z.string().nullable(),
      attachedRoutes: count,
      conditions: z.array(condition),
    }),
  ),
  conditions: z.array(condition),
  clients: z.array(z.string()),
});

export const certificateUse = object({
  ...certificate.shape,
  daysLeft: z.int().nullable(),
  state: z.enum(['valid', 'expiring', 'expired', 'not-yet-valid', 'unusable']),
  usedBy: z.array(object({ kind: z.enum(['Listener', 'Gateway']), namespace: z.string(), name: z.string() })),
});

export const namespace = z.string();

export const resourceKind = object({
  kind: z.string(),
  apiVersion: z.string(),
  category: z.enum(['gateway', 'route', 'policy', 'backend', 'ai', 'core']),
  description: z.string(),
  namespaced: flag,
  writable: flag,
  available: flag,
  availabilityMessage: z.string(),
});

export const catalogService = object({
  namespace: z.string(),
  name: z.string(),
  type: z.string(),
  ports: z.array(
    object({
      name: z.string().nullable(),
      port: z.int(),
      protocol: z.string(),
      appProtocol: z.string().nullable(),
      targetPort: z.union([z.int(), z.string()]),
    }),
  ),
  endpoints: object({ ready: count, total: count }),
  referencedBy: z.array(reference),
});

const health = z.enum(['healthy', 'degraded', 'failed', 'unknown']);

export const topology = object({
  snapshotVersion: z.string().nullable(),
  nodes: z.array(
    object({
      id: z.string(),
      type: z.enum(['gatewayclass', 'gateway', 'listener', 'route', 'backend', 'endpoints', 'dataplane']),
      label: z.string(),
      namespace: z.string(),
      name: z.string(),
      status: health,
      detail: z.string(),
    }),
  ),
  edges: z.array(
    object({
      source: z.string(),
      target: z.string(),
      type: z.enum(['attach', 'forward', 'mirror', 'resolve', 'serve']),
      weight: count.nullable(),
      status: health,
    }),
  ),
  warnings: z.array(warning),
});

export const infrastructure = object({
  summary: object({
    resourceCount: count,
    readyCount: count,
    driftedCount: count,
    missingCount: count,
    orphanCount: count,
  }),
  resources: z.array(
    object({
      kind: z.enum([
        'Deployment',
        'Service',
        'Pod',
        'ServiceAccount',
        'ConfigMap',
        'PodDisruptionBudget',
        'HorizontalPodAutoscaler',
        'EndpointSlice',
        'Process',
      ]),
      namespace: z.string(),
      name: z.string(),
      role: z.enum([
        'identity',
        'trust',
        'proxies',
        'proxy',
        'address',
        'disruption-budget',
        'autoscaler',
        'endpoints',
        'agent',
        'envoy',
      ]),
      owner: z.string().nullable(),
      state: z.enum(['ready', 'pending', 'failed', 'drifted', 'missing', 'orphan']),
      reasons: z.array(z.string()),
      replicas: object({ desired: count, ready: count }).nullable(),
      addresses: z.array(z.string()),
    }),
  ),
  warnings: z.array(warning),
});

export const dataPlane = object({
  nodeId: z.string(),
  gateway: z.string(),
  address: z.string().nullable(),
  url: z.string().nullable(),
  ready: flag,
  version: z.string(),
});

const quantile = z.number().min(0).nullable();

export const dataPlaneSummary = object({
  nodeId: z.string(),
  gateway: z.string(),
  address: z.string(),
  status: object({
    ready: flag,
    readyMessage: z.string().nullable(),
    version: z.string(),
    uptimeSeconds: count,
    configVersion: z.string().nullable(),
    configAppliedAt: time.nullable(),
    serving: z.enum(['none', 'current', 'cached', 'last_good']),
    listeners: z.array(object({ name: z.string(), address: z.string(), protocol: z.string(), active: flag })),
    envoy: object({ version: z.string(), state: z.string(), pid: count.nullable(), restarts: count }),
  }),
  connections: object({ active: count, perSecond: z.number().min(0), total: count, errors: count }),
  xds: object({
    connected: flag,
    controlPlaneAddress: z.string(),
    connectedSince: time.nullable(),
    lastConfigVersion: z.string().nullable(),
    lastConfigNonce: z.string().nullable(),
    lastConfigStatus: answer,
    streamReconnects: count,
  }),
  backends: object({ healthy: count, unhealthy: count }),
  traffic: object({
    requests: count,
    '1xx': count,
    '2xx': count,
    '3xx': count,
    '4xx': count,
    '5xx': count,
    p50: quantile,
    p95: quantile,
    p99: quantile,
    bytesIn: count,
    bytesOut: count,
  }),
});

export const capabilities = object({
  overview: flag,
  gateways: flag,
  routes: flag,
  referenceGrants: flag,
  backendTls: flag,
  nodes: flag,
  topology: flag,
  diagnostics: flag,
  observability: flag,
  managedResources: flag,
  writes: flag,
  aiOverview: flag,
  aiServices: flag,
  aiTokenPolicies: flag,
  aiCost: flag,
  aiTraces: flag,
  aiUsage: flag,
  chatbot: flag,
  metrics: flag,
  settings: flag,
});

export const verified = object({ authenticated: z.literal(true), readOnly: flag });

export const livez = object({ status: z.literal('alive') });
export const readyz = object({ status: z.literal('ready') });

export { routeTest, routeTestRequest } from './route-test-schemas.ts';

/** Further fields are those of the event's type. */
export const recentEvents = z.array(
  z.looseObject({ id: z.string(), type: z.enum(['snapshot', 'node', 'resource']), at: time }),
);
