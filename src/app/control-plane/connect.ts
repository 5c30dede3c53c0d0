import { isTakenElsewhere, nameOf, nodeEvent, problemEvent } from '../../admin/index.ts';
import { Electorate, type Replicas } from '../../cluster/replicas/index.ts';
import type { Builder } from '../../graph/index.ts';
import type { SharedLimits } from '../../shared-limits/index.ts';
import type { SourceListener } from '../../sources/index.ts';
import { each } from '../../std/steps/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import { Translator } from '../../translate/index.ts';
import { buildBuilder } from './build-builder.ts';
import { buildControllers } from './build-controllers.ts';
import type { BuildIngresses } from './build-ingresses.ts';
import { buildKeys, type KeysWatch } from './build-keys.ts';
import { buildModules } from './build-modules.ts';
import { buildReplicas } from './build-replicas.ts';
import { buildSharedLimits } from './build-shared-limits.ts';
import { Convergence } from './convergence.ts';
import type { Core } from './core.ts';
import { DatabaseReports } from './database-reports.ts';
import type { Edges } from './edges.ts';
import { handleNodeEvent } from './handle-node-event.ts';
import type { ModulesWatch } from './modules-watch.ts';
import { ProblemWatch } from './problem-watch.ts';
import { Progress } from './progress.ts';
import { Publisher } from './publisher.ts';
import { readNamespaces } from './read-namespaces.ts';
import { ServedIngresses } from './served-ingresses.ts';
import { SnapshotCauses } from './snapshot-causes.ts';
import { unencodable } from './unencodable.ts';
import { UnreadableNamespaces } from './unreadable-namespaces.ts';

/** A core whose events lead to builds, and whose builds reach proxies and edges. */
export interface Connected {
  readonly core: Core;
  readonly edges: Required<Omit<Edges, 'onProblem' | 'keys' | 'moduleCache' | 'ingresses'>>;
  readonly problems: ProblemWatch;
  readonly builder: Builder;
  readonly electorate: Electorate;
  readonly replicas: Replicas;
  /** Rate limits that proxies share. */
  readonly limits: SharedLimits;
  readonly progress: Progress;
  /** Fetches what policies verify tokens by. */
  readonly keys: KeysWatch;
  /** Fetches the modules that policies name. */
  readonly modules: ModulesWatch;
  /** Undefined: none are. */
  readonly ingresses: ServedIngresses | undefined;
  /** What a source reports to. */
  readonly controllers: SourceListener;
}

/** Connects a core with what it writes to. From here on it builds; what it needs besides is a source, and ports. */
export function connect(core: Core, given: Edges): Connected {
  const edges = { unreadable: new UnreadableNamespaces(), ...given };
  const progress = new Progress(core.logger);
  const problems = buildProblemWatch(core, { progress, onProblem: edges.onProblem });
  const publisher = buildPublisher(core, edges, problems, () => ingresses);
  const electorate = buildElectorate(core);
  const databases = buildDatabaseReports(core);
  const limits = buildSharedLimits(core, () => replicas);
  const replicas = buildReplicas(core, [electorate, databases], limits);
  const causes = new SnapshotCauses();
  const keys = buildKeys(core, edges.keys);
  const modules = buildModules(core, { keys: edges.keys, cache: edges.moduleCache });
  const convergence = buildConvergence(core);
  const { proxies } = edges;
  const builder = buildBuilder(core, { publisher, replicas, progress, problems, causes, convergence, keys, proxies });
  core.trigger.asks(builder);
  followFailures(core, replicas);
  core.traffic.askOthers((report) => isTakenElsewhere(report, { replicas }));
  followNodes(core, { publisher, electorate, databases, replicas, convergence });
  const ingresses = given.ingresses && buildIngresses(core, given.ingresses, { builder, problems, keys, edges });
  const watches = [keys, modules];
  const controllers = buildControllers(core, {
    builder,
    replicas,
    progress,
    edges,
    problems,
    causes,
    watches,
    modules,
    ingresses,
  });
  keys.follow(controllers);
  return {
    core,
    edges,
    problems,
    builder,
    electorate,
    replicas,
    limits,
    progress,
    keys,
    modules,
    ingresses,
    controllers,
  };
}

/** What is made of Ingresses is no object of a source: nothing is reported of it but by its Ingress. */
const buildIngresses = (
  { graph }: Core,
  build: BuildIngresses,
  { builder, problems, keys, edges }: Pick<Connected, 'builder' | 'problems' | 'keys' | 'edges'>,
): ServedIngresses =>
  new ServedIngresses(build, {
    graph,
    builder,
    statuses: edges.statuses,
    onMade(event) {
      problems.observe(event);
      keys.observe(event);
    },
    onFaults: (ingress, faults) => problems.ingress(ingress, faults),
  });

function buildPublisher(
  core: Core,
  { proxies, statuses }: Edges,
  problems: ProblemWatch,
  ingresses: () => ServedIngresses | undefined,
): Publisher {
  const { graph, trigger } = core;
  const log = componentLogger(core.logger, 'control-plane');
  const left = unencodable(graph, trigger);
  return new Publisher({
    translator: new Translator(graph.userCode),
    xds: core.xds,
    *onStatuses(changes) {
      yield* each(changes, (change) => {
        statuses.setDesired(change);
        problems.status(change);
      });
      ingresses()?.status(changes);
    },
    onResolved: (resolved) => {
      for (const { key, fleet } of resolved) {
        if (fleet) proxies.ensure(fleet);
        else proxies.remove(key);
      }
    },
    onRejected(rejection) {
      log.warn(
        { kind: rejection.kind, key: rejection.key, error: rejection.message },
        'configuration cannot be encoded',
      );
      left.onRejected(rejection);
    },
    onEncoded: left.onEncoded,
  });
}

/** What statuses say is logged where there is no cluster to read them from; the rest here. */
function buildProblemWatch(
  { graph, config, clock, events, logger }: Core,
  { progress, onProblem }: { readonly progress: Progress; readonly onProblem: Edges['onProblem'] },
): ProblemWatch {
  const log = componentLogger(logger, 'problems');
  return new ProblemWatch({
    graph,
    controllerName: config.controllerName,
    reads: readNamespaces(config),
    availability: (kind) => progress.availabilityOf(kind),
    clock,
    now: () => new Date(),
    isPublished: () => progress.isPublished,
    report(finding, state, isOfStatus) {
      const { code, object, message } = finding;
      if (!isOfStatus && state === 'raised') log.warn({ code, ...object }, `${nameOf(object)}: ${message}`);
      else if (!isOfStatus) log.info({ code, ...object }, `${nameOf(object)}: no longer: ${message}`);
      if (progress.isPublished) events.add('problem', problemEvent(finding, state));
      onProblem?.(finding, state);
    },
  });
}

function buildDatabaseReports({ graph, nodes, trigger }: Core): DatabaseReports {
  return new DatabaseReports({
    find: ({ nodeId, cluster }) => nodes.find(nodeId, cluster),
    onChange(fleet, troubles) {
      graph.setDatabaseTroubles(fleet, troubles);
      trigger.fireIfDirty();
    },
  });
}

function buildElectorate({ graph, xds, nodes, trigger, clock, replicaTiming }: Core): Electorate {
  return new Electorate({
    find: ({ nodeId, cluster }) => nodes.find(nodeId, cluster),
    hold(rejection) {
      if (!rejection.trial) xds.suspect(rejection.gateway, rejection);
      graph.hold(rejection);
      trigger.fireIfDirty();
    },
    release(rejection) {
      if (!rejection.trial) xds.clear(rejection.gateway, rejection);
      graph.release(rejection);
      trigger.fireIfDirty();
    },
    clock,
    graceMs: replicaTiming?.graceMs ?? 10_000,
  });
}

function buildConvergence({ xds, history, metrics, traced }: Core): Convergence {
  return new Convergence({
    now: () => performance.now(),
    nodes: () => xds.nodes.list(),
    onApplied: (id, node) => traced.tracer?.applied(id, node),
    onConverged(id, ms, proxies) {
      history.converged(id, ms);
      metrics.builds.converged(ms / 1000);
      traced.tracer?.converged(id, proxies);
    },
  });
}

/** Takes what happens to proxies to the graph, to other replicas, to metrics and to those who follow events. */
function followNodes(
  { graph, trigger, xds, nodes, events, metrics, traced }: Core,
  {
    publisher,
    electorate,
    databases,
    replicas,
    convergence,
  }: Pick<Connected, 'electorate' | 'replicas'> & {
    readonly publisher: Publisher;
    readonly databases: DatabaseReports;
    readonly convergence: Convergence;
  },
): void {
  xds.onNode((event) => {
    convergence.node(event);
    if (event.kind === 'refused')
      traced.tracer?.rejected({ ...event.rejection, nodeId: event.node.nodeId, cluster: event.node.cluster });
    handleNodeEvent(event, { publisher, graph, trigger, electorate, databases, feed: replicas.feed });
    const { nodeId, cluster } = event.node;
    const hasMoved = event.kind === 'forgotten' && nodes.find(nodeId, cluster) !== undefined;
    const reported = hasMoved ? undefined : nodeEvent(event);
    if (reported) events.add('node', reported);
  });
  metrics.controllers.readObjects(graph);
  metrics.summary.follow({ graph, nodes: xds.nodes, now: () => new Date() });
}

/** Says to those who follow events, here and at other replicas, that requests failed. Those of other replicas go no further than here. */
function followFailures({ traffic, events }: Core, { feed }: Replicas): void {
  traffic.onFailures(() => {
    events.signal('traffic');
    feed.requestsFailed();
  });
}
