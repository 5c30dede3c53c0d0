import { join } from 'node:path';
import { ClusterResourceStore } from '../../admin/index.ts';
import { kinds, kindsRead } from '../../gateway-api/index.ts';
import type { KubeInfrastructure } from '../../infrastructure/index.ts';
import { ClusterSource } from '../../sources/index.ts';
import type { EventRecorder, StatusWriter } from '../../status/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';
import {
  type AddOnsPlace,
  type BuildAddOns,
  buildCore,
  type Connected,
  type Context,
  type ControlPlane,
  type Core,
  connect,
  createMetrics,
  loadIngresses,
  noAddOns,
  optIns,
  startControlPlane,
  UnreadableNamespaces,
} from '../control-plane/index.ts';
import { findDefinitions, type ServeParts } from '../process/index.ts';
import { buildEventRecorder, recordProblem, recordProgrammed } from './build-event-recorder.ts';
import { buildInfrastructure, clusterProxies } from './build-infrastructure.ts';
import { buildStatusWriter, statusSinkOf } from './build-status-writer.ts';
import { scopedHooks } from './cluster-scope.ts';
import { controlPlaneHosts } from './control-plane-hosts.ts';
import type { Leadership } from './leadership.ts';
import { type OpenCluster, openCluster } from './open-cluster.ts';
import { resumeWriting } from './resume-writing.ts';

/** For clients to hear of other addresses by DNS. */
const defaultOldFleetGraceMs = 60_000;

export interface OperatorOptions {
  /** How long Gateways that move between proxies of their own and shared ones keep the old ones beside the new. */
  readonly oldFleetGraceMs?: number;
  /** None by default. */
  readonly buildAddOns?: BuildAddOns;
}

/** The operator: reads a cluster, writes its statuses, keeps the proxies of its Gateways. */
export async function startOperator(
  { config, logger, version, env }: ServeParts,
  { oldFleetGraceMs = defaultOldFleetGraceMs, buildAddOns = noAddOns }: OperatorOptions = {},
): Promise<ControlPlane> {
  const context = { config, logger, version, metrics: createMetrics(), definitions: () => findDefinitions(env) };
  const cluster = await openCluster(context);
  const core = buildClusterCore(context, cluster, oldFleetGraceMs);
  const unreadable = new UnreadableNamespaces();
  const infrastructure = buildInfrastructure(core, cluster, { unreadable, oldFleetGraceMs });
  const writer = buildStatusWriter(core, cluster);
  const recorder = buildEventRecorder(core, cluster);
  const connected = connect(core, {
    proxies: clusterProxies(core, cluster, infrastructure),
    statuses: statusSinkOf(writer, recordProgrammed(recorder)),
    unreadable,
    keys: { client: cluster.writing, namespace: cluster.ownPlace, ownHosts: controlPlaneHosts(context.config) },
    moduleCache: context.config.state.directory && join(context.config.state.directory, 'modules'),
    onProblem: (finding, state) => recordProblem(recorder, finding, state),
    ingresses: await loadIngresses(context.config),
  });
  resumeWriting(cluster, { infrastructure, writer });
  cluster.leadership.remember(() => hasPolicies(connected, unreadable));
  cluster.leadership.onGained(() => connected.keys.lead());
  // What came up while no replica led, or while another one did.
  cluster.leadership.onGained(() => {
    for (const finding of connected.problems.list()) recordProblem(recorder, finding, 'raised');
  });
  const stopping = new AbortController();
  const kept = keep(infrastructure, stopping.signal, logger);
  const { client, scope, loaded, leadership } = cluster;
  const control = await startControlPlane(connected, {
    source: buildSource(connected, cluster),
    resources: new ClusterResourceStore(client, scope.reads),
    addOns: buildAddOns(connected, placeOf(context, cluster)),
  });
  logger.info(
    { component: 'main', server: client.server, origin: loaded.origin, identity: leadership.identity },
    'reading the cluster',
  );
  return running(control, cluster, { writer, recorder, kept, stopping });
}

const buildClusterCore = (
  context: Context,
  { identity, access, scope, leadership, ownPlace }: OpenCluster,
  oldFleetGraceMs: number,
): Core =>
  buildCore({
    ...context,
    identity,
    access,
    // The pod is the proxy's own network: it takes the listener's port itself.
    bind: (_gateway, port) => ({ address: '0.0.0.0', port }),
    sharing: {
      scope: { namespaces: scope.reads, proxiesNamespace: scope.proxies, own: ownPlace },
      sharedNamespace: scope.shared,
      oldFleetGraceMs,
    },
    leadership: () => ({ identity: leadership.identity, isLeader: leadership.isLeader() }),
  });

const buildSource = (
  { builder, core: { config, logger } }: Connected,
  { loaded, client, scope, hooks, ownPlace, leadership }: OpenCluster,
): ClusterSource =>
  new ClusterSource({
    config: loaded,
    client,
    kinds: kindsRead(...optIns(config)),
    ...(scope.reads && { namespaces: scope.reads, also: alsoRead(scope.reads, ownPlace) }),
    expected: expectedPolicies(leadership, componentLogger(logger, 'kube')),
    hooks: scopedHooks(hooks, scope, (kind, reason) => builder.obstruct(kind, reason)),
  });

/** What the leader keeps is read in the control plane's own namespace, also where that is not among those of users. */
const alsoRead = (reads: readonly string[], own: string) =>
  reads.includes(own) ? [] : [{ kind: kinds.ConfigMap.name, namespace: own }];

/** Any replica is asked to write settings, whether it leads or not. */
const placeOf = ({ config }: Context, { client, ownPlace }: OpenCluster): AddOnsPlace => ({
  settings: { client, namespace: ownPlace, secret: config.state.secret },
  usageFile: config.state.directory && join(config.state.directory, 'ai-usage.sqlite'),
  allowLoopback: config.outgoing.allowLoopback ?? false,
});

/** Without the definition of the policies it is asked again and again; saying so once is enough. */
function expectedPolicies({ policiesKnown }: Leadership, log: Logger): () => Promise<string | undefined> {
  let said: string | undefined;
  return async () => {
    const reason = await policiesKnown();
    if (reason !== undefined && reason !== said) log.error({ kind: kinds.AccessPolicy.name }, `not served: ${reason}`);
    said = reason;
    return reason;
  };
}

/** Undefined: some cannot be read just now, or are not read yet. */
function hasPolicies({ core, progress }: Connected, unreadable: UnreadableNamespaces): boolean | undefined {
  const { name } = kinds.AccessPolicy;
  if (core.graph.count(name) > 0) return true;
  const isKnown = progress.isPublished && progress.availabilityOf(name).available && unreadable.reasons.size === 0;
  return isKnown ? false : undefined;
}

const keep = (infrastructure: KubeInfrastructure, signal: AbortSignal, logger: Logger): Promise<void> =>
  infrastructure.run(signal).catch((error: unknown) => {
    componentLogger(logger, 'infrastructure').error({ err: error }, 'failed to watch proxy resources');
  });

/** Takes part in the election, and ends everything in order. */
function running(
  control: ControlPlane,
  { leadership, identity, access, client, writing }: OpenCluster,
  {
    writer,
    recorder,
    kept,
    stopping,
  }: {
    readonly writer: StatusWriter;
    readonly recorder: EventRecorder;
    readonly kept: Promise<void>;
    readonly stopping: AbortController;
  },
): ControlPlane {
  const leaving = new AbortController();
  const elected = leadership.run(leaving.signal);
  elected.catch(() => {});
  return {
    ...control,
    // Either of the two may be the first to find that it cannot work.
    ended: Promise.all([control.ended, elected]).then(() => undefined),
    async stop() {
      identity?.stop();
      access.stop();
      stopping.abort();
      // The next leader must not find us writing.
      const handedOver = Promise.allSettled([writer.stop(), recorder.stop(), kept]).then(() => {
        leaving.abort();
        return elected;
      });
      await Promise.allSettled([handedOver, control.stop()]);
      client.close();
      writing.close();
    },
  };
}
