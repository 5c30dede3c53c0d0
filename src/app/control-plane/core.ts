import {
  type AdminAccess,
  EventLog,
  type Leadership,
  SnapshotHistory,
  type Tokens,
  tokensOf,
} from '../../admin/index.ts';
import { RemoteReplicas, ReplicaNodes, type ReplicaTiming } from '../../cluster/replicas/index.ts';
import { kindModules } from '../../controllers/index.ts';
import { hostRules } from '../../egress/index.ts';
import { type Binder, Graph, type GraphOptions } from '../../graph/index.ts';
import { nearestKey } from '../../std/index.ts';
import { type Clock, systemClock } from '../../std/queue/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import { TrafficStore } from '../../traffic/index.ts';
import { type Authenticator, type CertificateSource, XdsServer } from '../../xds/index.ts';
import { rejectPlainXds } from '../process/index.ts';
import { BuildTrigger } from './build-trigger.ts';
import type { Context } from './context.ts';
import { mishapLog } from './mishap-log.ts';
import { onlyReplica } from './only-replica.ts';
import type { Traced } from './traced.ts';

export interface CoreOptions extends Context {
  readonly bind: Binder;
  /** What is read, where proxies run, also those that Gateways share, and whether they can run beside those that they replace. */
  readonly sharing?: Pick<GraphOptions, 'scope' | 'sharedNamespace' | 'oldFleetGraceMs' | 'onOneMachine'>;
  /** Without it xDS is plain text, and clients need no proof of identity: beyond loopback only with `xds.insecure`. */
  readonly identity?: { readonly certificates: CertificateSource; readonly authenticator: Authenticator } | undefined;
  /** Who may use the admin API, where the configuration asks for what only a cluster has. */
  readonly access?: AdminAccess | undefined;
  /** Whether this replica is the one that writes. By default it is the only one. */
  readonly leadership?: (() => Leadership) | undefined;
  readonly replicaTiming?: Partial<ReplicaTiming> | undefined;
  readonly clock?: Clock | undefined;
}

/** What needs nothing but the configuration. Everything else of a control plane is built with it. */
export interface Core extends Context {
  readonly graph: Graph;
  readonly trigger: BuildTrigger;
  readonly xds: XdsServer;
  /** What the proxies of this replica report of requests. */
  readonly traffic: TrafficStore;
  /** The data planes of all replicas. */
  readonly nodes: ReplicaNodes;
  /** What readers of the admin API can follow. */
  readonly events: EventLog;
  readonly history: SnapshotHistory;
  /** Of the admin API; other replicas use the same. */
  readonly tokens: Tokens;
  readonly access: AdminAccess;
  readonly certificates: CertificateSource | undefined;
  readonly leadership: () => Leadership;
  readonly replicaTiming: Partial<ReplicaTiming> | undefined;
  readonly clock: Clock;
  /** What makes spans of what happens here. */
  readonly traced: Traced;
  /** Reports the addresses of proxies, or what is missing. `key`: ResolvedFleet.key */
  setDataPlane(key: string, state: Parameters<Graph['setDataPlane']>[1]): void;
  /** Reports the pods of proxies, which their nodes are called by; undefined: that is not known. */
  setPods(key: string, names: ReadonlySet<string> | undefined): void;
}

/** Throws a ConfigError for what the configuration has wrong. Opens no port and reads nothing. */
export function buildCore(options: CoreOptions): Core {
  const { config, logger, metrics, version, replicaTiming, clock = systemClock } = options;
  if (options.identity === undefined) rejectPlainXds(config.xds);
  const leadership = options.leadership ?? onlyReplica();
  const { certificates, authenticator } = options.identity ?? {};
  const tokens = tokensOf(config.adminAuth, options.access ?? {}, componentLogger(logger, 'admin'));
  const graph = buildGraph(options);
  const trigger = new BuildTrigger(graph);
  const remotes = new RemoteReplicas(leadership().identity);
  const xds = new XdsServer({
    logger: componentLogger(logger, 'xds'),
    metrics: metrics.xds,
    elsewhere: (node) => remotes.findNode(node),
    nearest: nearestKey,
    authenticator,
    onTaken: () => trigger.taken(),
  });
  const traffic = new TrafficStore({ graph, maxRouteRules: config.metrics.maxRouteRules });
  metrics.traffic.follow(traffic.routeCounts);
  xds.agentServices.serveTraffic(traffic);
  const events = new EventLog();
  return {
    config,
    logger,
    definitions: options.definitions,
    metrics,
    version,
    graph,
    trigger,
    xds,
    traffic,
    nodes: new ReplicaNodes({ local: xds.nodes, remotes }),
    events,
    history: new SnapshotHistory(),
    tokens,
    access: { ...options.access, tokens },
    certificates,
    leadership,
    replicaTiming,
    clock,
    traced: { tracer: undefined },
    setDataPlane(key, state) {
      graph.setDataPlane(key, state);
      trigger.fire();
    },
    setPods(key, names) {
      xds.setPods(key, names);
      // What other replicas had is looked at after a build.
      trigger.fire();
    },
  };
}

function buildGraph({ config, logger, metrics, bind, sharing }: CoreOptions): Graph {
  const log = componentLogger(logger, 'control-plane');
  const graph = new Graph({
    controllerName: config.controllerName,
    kinds: kindModules,
    bind,
    limits: config.translatorLimits,
    hosts: hostRules(config.backends),
    userCode: config.extensions,
    ...sharing,
    onMishap: mishapLog(log),
    onInputFault: (error) => log.error({ err: error }, 'failed to apply a watch event'),
  });
  metrics.builds.readMishaps(() => [...graph.mishaps()].length);
  return graph;
}
