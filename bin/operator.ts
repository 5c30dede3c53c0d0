import { hostname } from 'node:os';
import { ClusterResourceStore } from '../src/admin/index.ts';
import { type Config, ConfigError } from '../src/config/index.ts';
import { type KindName, keyOf } from '../src/gateway-api/index.ts';
import { KubeInfrastructure } from '../src/infrastructure/index.ts';
import { type InformerHooks, KubeClient, loadKubeConfig } from '../src/kube/index.ts';
import { ClusterSource } from '../src/sources/index.ts';
import { kubeStatusApi, StatusWriter } from '../src/status/index.ts';
import { componentLogger, createMetrics, type Logger, type Metrics } from '../src/telemetry/index.ts';
import { clusterParts } from './cluster-parts.ts';
import {
  type ControlPlane,
  type ControlPlaneHooks,
  type Proxies,
  type StatusSink,
  startControlPlane,
} from './control-plane.ts';
import { proxiesOf } from './proxies-of.ts';
import type { ServeParts } from './serve.ts';

/** The operator: reads a cluster, writes its statuses, keeps the proxies of its Gateways. */
export async function startOperator({ config, logger, version }: ServeParts): Promise<ControlPlane> {
  const { source } = config;
  if (source.kind !== 'kubernetes') {
    throw new ConfigError('control-plane reads a cluster: remove source.directory, or use `gatewright run -f DIR`');
  }
  if (!config.xds.insecure) {
    throw new ConfigError(
      'xds.insecure is not set: xDS is served in plain text for now, which has to be written down; set it to true',
    );
  }
  const metrics = createMetrics();
  const loaded = loadKubeConfig({ kubeconfig: source.kubeconfig });
  const client = new KubeClient(loaded.kubeConfig);
  const hooks = informerHooks(componentLogger(logger, 'kube'), metrics);
  const stopping = new AbortController();
  let writer: StatusWriter | undefined;
  const control = await startControlPlane({
    config,
    logger,
    version,
    metrics,
    source: new ClusterSource({ config: loaded, client, hooks }),
    resources: new ClusterResourceStore(client),
    // The pod is the proxy's own network: it takes the listener's port itself.
    bind: (_gateway, port) => ({ address: '0.0.0.0', port }),
    createProxies: (around) => createInfrastructure({ config, client, around, hooks, logger, signal: stopping.signal }),
    createStatusSink({ graph }) {
      writer = createWriter({ config, client, graph, logger, metrics });
      return sinkOf(writer);
    },
  });
  logger.info(
    { component: 'main', server: client.server, origin: loaded.origin, identity: hostname() },
    'reading the cluster',
  );
  return {
    ...control,
    async stop() {
      stopping.abort();
      await Promise.allSettled([writer?.stop(), control.stop()]);
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
  readonly graph: ControlPlaneHooks['graph'];
  readonly logger: Logger;
  readonly metrics: Metrics;
}): StatusWriter {
  const { config, client, graph, metrics } = parts;
  const log = componentLogger(parts.logger, 'status');
  return new StatusWriter({
    api: kubeStatusApi(client),
    lookup: (kind, key) => graph.find(kind, key),
    controllerName: config.controllerName,
    isLeader: () => true,
    now: () => new Date(),
    onResult: (kind, result) => metrics.cluster.statusWritten(kind, result),
    onFailure: ({ kind, key, message, willRetry }) =>
      log.warn({ kind, name: key, willRetry }, `status not written: ${message}`),
  });
}

function createInfrastructure(parts: {
  readonly config: Config;
  readonly client: KubeClient;
  readonly around: ControlPlaneHooks;
  readonly hooks: InformerHooks;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}): Proxies {
  const { config, client, around, hooks, signal } = parts;
  const { image, xdsAddress, serviceType, replicas } = config.infrastructure;
  if (!image) throw new ConfigError('infrastructure.image is not set: name the image that the proxies of Gateways run');
  const log = componentLogger(parts.logger, 'infrastructure');
  const infrastructure = new KubeInfrastructure({
    client,
    settings: { image, xdsAddress, serviceType, replicas },
    isLeader: () => true,
    onState: (key, { addresses, message }) => around.setDataPlane(key, { addresses, message }),
    onFailure: (key, error) => log.warn({ gateway: key, err: error }, 'proxies not applied; trying again'),
    hooks,
  });
  infrastructure
    .run(signal)
    .catch((error: unknown) => log.error({ err: error }, 'the proxies of Gateways cannot be watched'));
  return {
    ensure: (gateway) => infrastructure.ensure(proxiesOf(gateway)),
    remove(key) {
      around.setDataPlane(key, undefined);
      infrastructure.remove(key);
    },
    complete: () => infrastructure.complete(),
    parts: () => clusterParts({ infrastructure, client, graph: around.graph }),
  };
}

const informerHooks = (log: Logger, metrics: Metrics): InformerHooks => ({
  restarted(kind, reason, waitMs, error) {
    metrics.cluster.watchRestarted(kind.name, reason);
    if (error) log.warn({ kind: kind.name, reason, waitMs }, error.message);
  },
  listed: (kind, objects, durationMs) => log.debug({ kind: kind.name, objects, durationMs }, 'listed'),
  handlerFailed: (kind, error) => log.error({ kind: kind.name, err: error }, 'an event could not be taken in'),
});
