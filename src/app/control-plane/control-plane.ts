import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { AiUsage, aiMetrics } from '../../addons/ai/index.ts';
import { Chatbot } from '../../addons/chatbot/index.ts';
import { MetricsBackend } from '../../addons/metrics-backend/index.ts';
import { AddressGuard } from '../../addons/outgoing/index.ts';
import type { SettingsStore } from '../../addons/settings/index.ts';
import {
  type AdminAccess,
  type Availability,
  createAdmin,
  EventLog,
  type InfrastructureView,
  type Leadership,
  listenAdmin,
  nodeEvent,
  openWarning,
  type ResourceStore,
  resourceEvent,
  snapshotEvent,
  tokensOf,
} from '../../admin/index.ts';
import { Electorate, RemoteReplicas, ReplicaNodes, type ReplicaTiming } from '../../cluster/replicas/index.ts';
import { formatAddress } from '../../config/index.ts';
import { createControllers, kindModules } from '../../controllers/index.ts';
import { hostRules } from '../../egress/index.ts';
import {
  type Binder,
  Builder,
  Graph,
  type GraphOptions,
  type SettledFleet,
  type StatusChange,
} from '../../graph/index.ts';
import type { ResourceEvent, Source } from '../../sources/index.ts';
import { nearestKey } from '../../std/index.ts';
import { systemClock } from '../../std/queue/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import { Translator } from '../../translate/index.ts';
import { type Authenticator, type CertificateSource, XdsServer } from '../../xds/index.ts';
import type { Metrics } from '../metrics.ts';
import { UnreadableNamespaces } from '../operator/cluster-scope.ts';
import { plainXdsWarning, refusePlainXds, type ServeParts } from '../process/index.ts';
import { aiParts, spanExporter } from './ai-usage.ts';
import { buildFailures } from './build-failures.ts';
import { heedNode } from './heed-node.ts';
import { Publisher } from './publisher.ts';
import { createReplicas } from './replicas.ts';

/** Whoever keeps the proxies of Gateways: Deployments in a cluster, processes of ours without one. */
export interface Proxies extends InfrastructureView {
  ensure(fleet: SettledFleet): void;
  /** `key`: SettledFleet.key */
  remove(key: string): void;
  /** Every Gateway that exists at the start was ensured. */
  complete(): void;
}

/** Whoever takes wished statuses to where users read them. */
export interface StatusSink {
  wish(change: StatusChange): void;
  /** An object as the graph now has it: its status may have been changed by others. */
  observe?(event: ResourceEvent): void;
}

export interface ControlPlaneOptions extends Omit<ServeParts, 'env'> {
  readonly metrics: Metrics;
  readonly source: Source;
  /** Where the admin API writes what the source then tells. */
  readonly resources: ResourceStore;
  /** Where settings are kept that the admin API makes. */
  readonly settings: SettingsStore;
  /** The file that keeps what AI traffic used; undefined: it is forgotten with the process. */
  readonly usageFile?: string | undefined;
  /** Whether servers of this machine may be configured. */
  readonly allowLoopback: boolean;
  readonly bind: Binder;
  /** What is read, where proxies run, also those that Gateways share, and whether they can run beside those that they take the place of. */
  readonly sharing?: Pick<GraphOptions, 'scope' | 'sharedNamespace' | 'keepsFormerMs'>;
  /** Namespaces that should be read and cannot; kept here. */
  readonly unreadable?: UnreadableNamespaces;
  /** Made once the graph exists, since both need to speak to it. */
  readonly createProxies: (control: ControlPlaneHooks) => Proxies;
  readonly createStatusSink: (control: ControlPlaneHooks) => StatusSink;
  /** Without it xDS is plain text, and its clients are taken at their word: beyond loopback only with `xds.insecure`. */
  readonly identity?: { readonly certificates: CertificateSource; readonly authenticator: Authenticator } | undefined;
  /** Who is let into the admin API, where the configuration asks for what only a cluster has. */
  readonly access?: AdminAccess | undefined;
  /** Who this replica is, and whether it is the one that writes. Without it: the only one there is. */
  readonly leadership?: () => Leadership;
  readonly replicaTiming?: Partial<ReplicaTiming>;
}

/** What the parts around the graph may do with it. */
export interface ControlPlaneHooks {
  readonly graph: Graph;
  /** Tells the addresses of proxies, or what is missing. */
  setDataPlane(key: string, state: Parameters<Graph['setDataPlane']>[1]): void;
  /** Where the xDS server listens. */
  xdsPort(): number;
}

/** A running control plane. */
export interface ControlPlane {
  readonly graph: Graph;
  readonly builder: Builder;
  readonly xds: XdsServer;
  readonly ports: {
    readonly xds: number;
    readonly layout1: number;
    readonly layout2: number;
    readonly metrics: number;
  };
  /** Resolves when the source ended: after `stop`, or rejects with what made it impossible to start. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Wires source, controllers, graph, builder, translator, xDS server and admin API together and starts them. Ports are
 * open before the first object is read, so that probes can tell a slow start from a dead one.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { config, logger, source, version } = options;
  const log = componentLogger(logger, 'control-plane');
  if (options.identity === undefined) refusePlainXds(config.xds);
  const { metrics } = options;
  const { controllerName, translatorLimits: limits } = config;
  const tokens = tokensOf(config.adminAuth, options.access ?? {}, componentLogger(logger, 'admin'));
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind: options.bind,
    limits,
    hosts: hostRules(config.backends),
    ...options.sharing,
    onInputFault: (error) => log.error({ err: error }, 'an event could not be taken in'),
  });
  const leadership = options.leadership ?? alone();
  const { certificates, authenticator } = options.identity ?? {};
  const guard = new AddressGuard({ allowLoopback: options.allowLoopback });
  const ofAi = aiMetrics(metrics.set);
  const spans = spanExporter({ config, guard, version, instance: leadership().identity, logger, metrics: ofAi });
  const usage = new AiUsage({
    file: options.usageFile,
    graph,
    onAsked: ofAi.asked,
    onAttempt: (attempt, service) => spans?.add(attempt, service),
    usedElsewhere: (...of) => sharedBudgets.used(...of),
  });
  const remotes = new RemoteReplicas(leadership().identity);
  const xds = new XdsServer({
    logger: componentLogger(logger, 'xds'),
    metrics: metrics.xds,
    elsewhere: (node) => remotes.findNode(node),
    nearest: nearestKey,
    authenticator,
  });
  xds.serveUsage(usage);
  const nodes = new ReplicaNodes({ local: xds.nodes, remotes });
  let xdsPort = 0;
  const hooks: ControlPlaneHooks = {
    graph,
    setDataPlane(key, state) {
      graph.setDataPlane(key, state);
      builder.changed();
    },
    xdsPort: () => xdsPort,
  };
  const proxies = options.createProxies(hooks);
  const sink = options.createStatusSink(hooks);
  const events = new EventLog();
  const availability = new Map<string, Availability>();
  const { unreadable = new UnreadableNamespaces() } = options;
  /** More is known than when proxies were last compared with all Gateways. */
  let isMoreKnown = true;
  let published = false;
  const failures = buildFailures(log);
  const publisher = new Publisher({
    translator: new Translator(),
    xds,
    onStatuses: (changes) => {
      for (const change of changes) sink.wish(change);
    },
    onSettled: (settled) => {
      for (const { key, fleet } of settled) {
        if (fleet) proxies.ensure(fleet);
        else proxies.remove(key);
      }
    },
    onRefused(refusal) {
      log.warn({ kind: refusal.kind, key: refusal.key, error: refusal.message }, 'configuration cannot be encoded');
      graph.refuse(refusal);
      builder.changed();
    },
  });
  const builder = new Builder({
    graph,
    quietMs: config.debounce.quietMs,
    maxMs: config.debounce.maxMs,
    isPushing: () => xds.isPushing,
    publish: (result) => publisher.publish(result),
    onBuilt(durationMs, { snapshot, changes, statuses }) {
      replicas.built();
      metrics.builds.succeeded(durationMs / 1000);
      // Conditions may change where nothing of the snapshot does, and whoever follows wants to see them.
      if (changes.length + statuses.length > 0 || !published) events.add('snapshot', snapshotEvent(snapshot));
      failures.over();
      if (changes.length > 0)
        log.debug({ snapshot: snapshot.id, changes: changes.length, durationMs }, 'snapshot published');
      if (isMoreKnown) proxies.complete();
      isMoreKnown = false;
      if (published) return;
      published = true;
      log.info({ snapshot: snapshot.id, ...snapshot.counts }, 'first snapshot published');
    },
    onFailed(error, durationMs) {
      metrics.builds.failed(durationMs / 1000);
      failures.tell(error);
    },
  });
  const changed = (take: () => void) => {
    take();
    if (graph.isDirty) builder.changed();
  };
  const electorate = new Electorate({
    find: ({ nodeId, cluster }) => nodes.find(nodeId, cluster),
    hold(refusal) {
      xds.suspect(refusal.gateway, refusal);
      changed(() => graph.hold(refusal));
    },
    release(refusal) {
      xds.clear(refusal.gateway, refusal);
      changed(() => graph.release(refusal));
    },
    clock: systemClock,
    graceMs: options.replicaTiming?.graceMs ?? 10_000,
  });
  const replicas = createReplicas({
    config,
    tokens,
    nodes,
    graph,
    builder,
    xds,
    events,
    metrics,
    logger,
    timing: options.replicaTiming,
    looked: (node) => electorate.look(node),
  });
  xds.onNode((event) => {
    heedNode(event, { publisher, graph, builder, electorate, feed: replicas.feed });
    const { nodeId, cluster } = event.node;
    const hasMoved = event.kind === 'forgotten' && nodes.find(nodeId, cluster) !== undefined;
    const told = hasMoved ? undefined : nodeEvent(event);
    if (told) events.add('node', told);
  });
  metrics.controllers.readObjects(graph);
  metrics.summary.follow({ graph, nodes: xds.nodes, now: () => new Date() });
  const controllers = createControllers({
    graph,
    builder,
    // What other replicas hold back is not to be published first and taken back then.
    before: replicas.introduced,
    onEvent(event) {
      metrics.controllers.event(event.kind.name);
      sink.observe?.(event);
      // What was there at the start is no news.
      if (published) events.add('resource', resourceEvent(event));
    },
    onAvailability(kind, available, message) {
      availability.set(kind.name, { available, message });
      log.info({ kind: kind.name, available }, message);
    },
    onNamespace(namespace, available, message) {
      unreadable.set(namespace, available ? undefined : message);
      metrics.controllers.namespaceReadable(namespace, available);
      if (available) log.info({ namespace }, 'the namespace can be read');
      else log.warn({ namespace }, `the namespace cannot be read: ${message}; the others go on, and it is tried again`);
      isMoreKnown ||= available;
      builder.changed();
    },
    onSynced: () => log.info('initial resource sync finished'),
  });
  const { reports: ai, sharedBudgets } = aiParts({ usage, graph, replicas, tokens });
  const admin = createAdmin({
    graph,
    nodes,
    // The replica that has it hears of it by the feed.
    offerAgain: (node) => xds.offerAgain(node) || replicas.feed.offerAgain(node),
    replicas,
    resourcesOf: (gateway) => xds.resourcesOf(gateway),
    metrics,
    config,
    access: { ...options.access, tokens },
    readiness: () =>
      published
        ? { ready: true }
        : { ready: false, reason: failures.latest ?? 'initial resource sync has not finished' },
    leadership,
    version,
    logger,
    events,
    unreadable: () => unreadable.reasons,
    availability: (kind) => availability.get(kind) ?? { available: true, message: '' },
    infrastructure: proxies,
    resources: options.resources,
    ai,
    metricsBackend: new MetricsBackend({ store: options.settings, defaults: config.metricsBackend, guard }),
    createChatbot: (ask) =>
      new Chatbot({
        store: options.settings,
        defaults: config.chatbot,
        guard,
        ask,
        onError: (error) => log.error({ err: error }, 'a chat failed'),
      }),
  });
  xdsPort = await xds.listen(formatAddress(config.xds.listen), certificates);
  const servers = await listenAdmin(admin, config);
  const ports = {
    xds: xdsPort,
    layout1: servers.layout1.port,
    layout2: servers.layout2.port,
    metrics: servers.metrics.port,
  };
  log.info({ ...ports, version }, 'control plane listens');
  const open = openWarning(config.adminAuth, config.admin.listen);
  if (open) log.warn(open);
  const plain = certificates === undefined ? plainXdsWarning(config.xds) : undefined;
  if (plain) log.warn(plain);
  replicas.start();
  sharedBudgets.start();
  const stopping = new AbortController();
  const ended = source.run(controllers, stopping.signal);
  ended.catch(() => {});
  return {
    graph,
    builder,
    xds,
    ports,
    ended,
    async stop() {
      builder.stop();
      electorate.stop();
      stopping.abort();
      // Streams end first, so that the last word to the other replicas has it.
      const streams = xds.close();
      const told = replicas.stop();
      await Promise.allSettled([ended, servers.close(), streams, told]);
      sharedBudgets.stop();
      usage.close();
      await spans?.stop();
    },
  };
}

/** The leadership of who is the only one there is. */
function alone(): () => Leadership {
  const identity = `${hostname()}_${randomBytes(4).toString('hex')}`;
  return () => ({ identity, isLeader: true });
}
