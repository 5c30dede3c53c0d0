import { join } from 'node:path';
import { SecretSettings } from '../../addons/settings/index.ts';
import { ClusterResourceStore } from '../../admin/index.ts';
import { type Config, ConfigError } from '../../config/index.ts';
import { type KindName, keyOf } from '../../gateway-api/index.ts';
import { KubeInfrastructure } from '../../infrastructure/index.ts';
import { type InformerHooks, KubeClient, loadKubeConfig } from '../../kube/index.ts';
import { ClusterSource, startError } from '../../sources/index.ts';
import { kubeStatusApi, StatusWriter } from '../../status/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';
import {
  type ControlPlane,
  type ControlPlaneHooks,
  type Proxies,
  type StatusSink,
  startControlPlane,
} from '../control-plane/control-plane.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import type { ServeParts } from '../process/index.ts';
import { openAdminAccess } from './admin-access.ts';
import { clusterParts } from './cluster-parts.ts';
import { type ClusterScope, clusterScope, scopedHooks, UnreadableNamespaces } from './cluster-scope.ts';
import { controlPlaneHosts } from './control-plane-hosts.ts';
import { createLeadership, type Leadership, ownNamespace } from './leadership.ts';
import { proxiesOf } from './proxies-of.ts';
import { openXdsIdentity, type XdsIdentity } from './xds-identity.ts';

/** For clients to hear of other addresses by DNS. */
const defaultKeepsFormerMs = 60_000;

/**
 * The operator: reads a cluster, writes its statuses, keeps the proxies of its Gateways. `keepsFormerMs`: for how long
 * Gateways that move between proxies of their own and shared ones keep the former ones beside those that serve them now.
 */
export async function startOperator(
  { config, logger, version }: ServeParts,
  { keepsFormerMs = defaultKeepsFormerMs }: { readonly keepsFormerMs?: number } = {},
): Promise<ControlPlane> {
  const { source } = config;
  if (source.kind !== 'kubernetes') {
    throw new Error('the operator reads a cluster; a directory has startDirectoryControlPlane');
  }
  const metrics = createMetrics();
  const loaded = loadKubeConfig({ kubeconfig: source.kubeconfig });
  const client = new KubeClient(loaded.kubeConfig);
  const identity = await openXdsIdentity({ config, client, namespace: ownNamespace(loaded), logger }).catch(
    (error: unknown) => Promise.reject(startError(client.server, loaded.origin, error)),
  );
  const ownPlace = config.leaderElection.namespace ?? ownNamespace(loaded);
  const access = await openAdminAccess({ config, client, namespace: ownPlace, logger }).catch((error: unknown) => {
    identity?.stop();
    throw startError(client.server, loaded.origin, error);
  });
  const hooks = informerHooks(componentLogger(logger, 'kube'), metrics);
  const scope = clusterScope(config, ownNamespace(loaded));
  const unreadable = new UnreadableNamespaces();
  let writer: StatusWriter | undefined;
  let infrastructure: KubeInfrastructure | undefined;
  const leadership = createLeadership({
    config,
    cluster: loaded,
    logger,
    metrics,
    onGained() {
      writer?.resume();
      infrastructure?.resume();
    },
  });
  const writing = new KubeClient(loaded.kubeConfig, { mayWrite: leadership.term });
  const stopping = new AbortController();
  let kept: Promise<void> | undefined;
  const control: ControlPlane = await startControlPlane({
    config,
    logger,
    version,
    metrics,
    identity,
    access,
    resources: new ClusterResourceStore(client, scope.reads),
    // Any replica is asked to write them, whoever leads.
    settings: new SecretSettings({
      client,
      namespace: ownPlace,
      name: config.state.secret,
    }),
    usageFile: config.state.directory && join(config.state.directory, 'ai-usage.sqlite'),
    allowLoopback: config.outgoing.allowLoopback ?? false,
    source: new ClusterSource({
      config: loaded,
      client,
      ...(scope.reads && { namespaces: scope.reads }),
      hooks: scopedHooks(hooks, scope, (kind, reason) => control.builder.obstruct(kind, reason)),
    }),
    unreadable,
    // The pod is the proxy's own network: it takes the listener's port itself.
    bind: (_gateway, port) => ({ address: '0.0.0.0', port }),
    sharing: {
      scope: { namespaces: scope.reads, proxiesNamespace: scope.proxies },
      sharedNamespace: scope.shared,
      keepsFormerMs,
    },
    createProxies(around) {
      const parts = {
        config,
        ownNamespace: ownNamespace(loaded),
        scope,
        keepsFormerMs,
        unreadable,
        client: writing,
        leadership,
        around,
        identity,
        hooks,
        logger,
      };
      infrastructure = createInfrastructure(parts);
      kept = keep(infrastructure, stopping.signal, logger);
      return proxiesBy({ infrastructure, client, around, scope });
    },
    createStatusSink({ graph }) {
      writer = createWriter({ config, client: writing, leadership, graph, logger, metrics });
      return sinkOf(writer);
    },
    leadership: () => ({ identity: leadership.identity, isLeader: leadership.isLeader() }),
  });
  logger.info(
    { component: 'main', server: client.server, origin: loaded.origin, identity: leadership.identity },
    'reading the cluster',
  );
  const leaving = new AbortController();
  const elected = leadership.run(leaving.signal);
  elected.catch(() => {});
  return {
    ...control,
    // Whatever of the two is the first to find that it cannot work.
    ended: Promise.all([control.ended, elected]).then(() => undefined),
    async stop() {
      identity?.stop();
      access.stop();
      stopping.abort();
      // Whoever leads next must not find us writing.
      const handedOver = Promise.allSettled([writer?.stop(), kept]).then(() => {
        leaving.abort();
        return elected;
      });
      await Promise.allSettled([handedOver, control.stop()]);
      client.close();
      writing.close();
    },
  };
}

const sinkOf = (writer: StatusWriter): StatusSink => ({
  wish: ({ kind, key, status }) => writer.wish(kind, key, status),
  observe({ type, kind, object }) {
    const name = kind.name as KindName;
    if (type === 'deleted') writer.forget(name, keyOf(object));
    else writer.observe(name, keyOf(object));
  },
});

function createWriter(parts: {
  readonly config: Config;
  readonly client: KubeClient;
  readonly leadership: Leadership;
  readonly graph: ControlPlaneHooks['graph'];
  readonly logger: Logger;
  readonly metrics: Metrics;
}): StatusWriter {
  const { config, client, leadership, graph, metrics } = parts;
  const log = componentLogger(parts.logger, 'status');
  return new StatusWriter({
    api: kubeStatusApi(client),
    lookup: (kind, key) => graph.find(kind, key),
    controllerName: config.controllerName,
    isLeader: leadership.isLeader,
    now: () => new Date(),
    onResult: metrics.status.written,
    onFailure: ({ kind, key, message, willRetry }) =>
      log.warn({ kind, name: key, willRetry }, `status not written: ${message}`),
  });
}

function createInfrastructure(parts: {
  readonly config: Config;
  readonly scope: ClusterScope;
  /** Where the control plane runs. */
  readonly ownNamespace: string;
  readonly unreadable: UnreadableNamespaces;
  readonly keepsFormerMs: number;
  readonly client: KubeClient;
  readonly leadership: Leadership;
  readonly around: ControlPlaneHooks;
  readonly identity: XdsIdentity | undefined;
  readonly hooks: InformerHooks;
  readonly logger: Logger;
}): KubeInfrastructure {
  const { config, scope, unreadable, client, leadership, around, identity, hooks } = parts;
  const { image, envoyImage, xdsAddress, serviceType, replicas, sessionPersistence, networkPolicy } =
    config.infrastructure;
  const { existingSecret: sessionSecret } = sessionPersistence;
  if (!image) throw new ConfigError('infrastructure.image is not set: name the image that the proxies of Gateways run');
  const log = componentLogger(parts.logger, 'infrastructure');
  const infrastructure = new KubeInfrastructure({
    client,
    settings: {
      controllerName: config.controllerName,
      namespace: scope.proxies,
      namespaces: scope.writes,
      image,
      envoyImage,
      xdsAddress,
      egress: { ...config.backends, controlPlaneHosts: controlPlaneHosts(config) },
      serviceType,
      replicas,
      trust: identity?.trust,
      ...(networkPolicy.enabled && {
        networkPolicy: { controlPlaneNamespace: parts.ownNamespace, metricsFrom: networkPolicy.metricsFrom },
      }),
      ...(sessionSecret !== undefined && { sessionSecret }),
    },
    isLeader: leadership.isLeader,
    keepsFormerMs: parts.keepsFormerMs,
    mayRemove: (key) => unreadable.knowsUsersOf(key),
    onState: (key, { addresses, message, problem }) => around.setDataPlane(key, { addresses, message, problem }),
    onFailure: (key, error) => log.warn({ gateway: key, err: error }, 'proxies not applied; trying again'),
    onForbidden: (kind, reason) =>
      log.warn({ kind, reason }, 'proxies are without this, and serve all the same: apply the rights of this release'),
    hooks,
  });
  identity?.onTrust(() => infrastructure.reapply());
  return infrastructure;
}

const keep = (infrastructure: KubeInfrastructure, signal: AbortSignal, logger: Logger): Promise<void> =>
  infrastructure.run(signal).catch((error: unknown) => {
    componentLogger(logger, 'infrastructure').error({ err: error }, 'the proxies of Gateways cannot be watched');
  });

const proxiesBy = ({ infrastructure, client, around, scope }: ProxiesParts): Proxies => ({
  ensure: (fleet) => infrastructure.ensure(proxiesOf(fleet)),
  remove(key) {
    around.setDataPlane(key, undefined);
    infrastructure.remove(key);
  },
  complete: () => infrastructure.complete(),
  parts: () => clusterParts({ infrastructure, client, graph: around.graph, namespaces: scope.writes }),
});

interface ProxiesParts {
  readonly scope: ClusterScope;
  readonly infrastructure: KubeInfrastructure;
  readonly client: KubeClient;
  readonly around: ControlPlaneHooks;
}

const informerHooks = (log: Logger, metrics: Metrics): InformerHooks => ({
  restarted(kind, reason, waitMs, error) {
    metrics.kube.watchRestarted(kind.name, reason);
    if (error) log.warn({ kind: kind.name, reason, waitMs }, error.message);
  },
  listed: (kind, objects, durationMs) => log.debug({ kind: kind.name, objects, durationMs }, 'listed'),
  handlerFailed: (kind, error) => log.error({ kind: kind.name, err: error }, 'an event could not be taken in'),
});
