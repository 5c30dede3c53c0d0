import { type AdminOptions, createAdmin, EventLog, listenAdmin, type Readiness } from '../../src/admin/index.ts';
import { createMetrics, type Metrics } from '../../src/app/control-plane/metrics.ts';
import type { AdminAuthConfig } from '../../src/config/index.ts';
import { kindModules } from '../../src/controllers/index.ts';
import type { KindName, ObjectByKind } from '../../src/gateway-api/index.ts';
import { Graph } from '../../src/graph/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { TrafficStore } from '../../src/traffic/index.ts';
import { foremost, type NodeView } from '../../src/xds/index.ts';
import { controllerName } from './objects.ts';
import { type RequestOptions, request } from './request.ts';

/** A running admin API over a graph and nodes that the test changes as it likes. */
export interface TestAdmin {
  readonly graph: Graph;
  readonly traffic: TrafficStore;
  readonly metrics: Metrics;
  /** Stores the objects and builds; gives the snapshot's id. */
  build(...objects: readonly ObjectByKind[KindName][]): string;
  /** Data planes by node id. */
  readonly nodes: Map<string, NodeView>;
  readonly logLines: readonly string[];
  readonly events: EventLog;
  readonly ports: { readonly layout1: number; readonly layout2: number };
  readiness: Readiness;
  now: Date;
  layout1(path: string, init?: RequestOptions): Promise<Response>;
  layout2(path: string, init?: RequestOptions): Promise<Response>;
  metricsPort(path: string, init?: RequestOptions): Promise<Response>;
  close(): Promise<void>;
}

/** When every snapshot is built and every node connects. */
export const someTime = new Date('2026-01-02T03:04:05Z');

const anyLoopbackPort = { host: '127.0.0.1', port: 0 };

/** Starts the admin API on free loopback ports; the caller closes it. */
export async function startAdmin(
  adminAuth: AdminAuthConfig = { protect: [] },
  options: Partial<AdminOptions> = {},
): Promise<TestAdmin> {
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
  });
  const metrics = createMetrics({ process: false });
  const clock = { now: () => someTime };
  const traffic = new TrafficStore({ graph, now: () => clock.now().getTime() });
  const nodes = new Map<string, NodeView>();
  const logLines: string[] = [];
  const events = options.events ?? new EventLog();
  const admin = createAdmin({
    graph,
    nodes: {
      list: () => [...nodes.values()],
      find: (nodeId, of) =>
        foremost([...nodes.values()].filter((node) => node.nodeId === nodeId && node.cluster === (of ?? node.cluster))),
    },
    metrics,
    config: { adminAuth, controllerName },
    readiness: () => self.readiness,
    leadership: () => ({ identity: 'replica-1', isLeader: true }),
    version: '1.2.3',
    logger: createLogger({ level: 'debug', destination: { write: (line) => logLines.push(line) } }),
    now: () => self.now,
    events,
    traffic,
    ...options,
  });
  const listeners = await listenAdmin(admin, {
    admin: { listen: anyLoopbackPort, layout2Listen: anyLoopbackPort },
    metrics: { listen: anyLoopbackPort },
  });
  const self: TestAdmin = {
    graph,
    traffic,
    metrics,
    nodes,
    logLines,
    events,
    ports: { layout1: listeners.layout1.port, layout2: listeners.layout2.port },
    build: (...objects) => {
      for (const object of objects) graph.upsert(object.kind as KindName, object as never);
      return graph.build(someTime).snapshot.id;
    },
    readiness: { ready: true },
    now: someTime,
    layout1: (path, init) => request(`${listeners.layout1.url}${path}`, init),
    layout2: (path, init) => request(`${listeners.layout2.url}${path}`, init),
    metricsPort: (path, init) => request(`${listeners.metrics.url}${path}`, init),
    close: () => listeners.close(0),
  };
  clock.now = () => self.now;
  return self;
}

/** A data plane that is connected and current, unless the test says otherwise. */
export const nodeView = (nodeId: string, given: Partial<NodeView> = {}): NodeView => ({
  nodeId,
  cluster: 'default/edge',
  gateway: 'default/edge',
  trials: [],
  databaseFaults: [],
  version: '0.1.0',
  envoyVersion: '1.40.0',
  connected: true,
  ready: true,
  stream: 'delta',
  peer: '127.0.0.1:50000',
  connectedAt: someTime,
  lastSeenAt: someTime,
  subscriptions: [],
  votes: true,
  refusals: [],
  refusalCount: 0,
  isPod: false,
  supersededCount: 0,
  ...given,
});
