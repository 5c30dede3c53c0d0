import type { AdminAccess } from '../../admin/index.ts';
import type { Config } from '../../config/index.ts';
import { type InformerHooks, KubeClient, type LoadedKubeConfig, loadKubeConfig } from '../../kube/index.ts';
import { startError } from '../../sources/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';
import type { Context, Metrics } from '../control-plane/index.ts';
import { openAdminAccess } from './admin-access.ts';
import { type ClusterScope, clusterScope } from './cluster-scope.ts';
import { createLeadership, type Leadership, ownNamespace } from './leadership.ts';
import { openXdsIdentity, type XdsIdentity } from './xds-identity.ts';

/** A cluster as this control plane reaches it, and what it knows of itself there. */
export interface OpenCluster {
  readonly loaded: LoadedKubeConfig;
  /** Reads. */
  readonly client: KubeClient;
  /** Writes, while this replica leads. */
  readonly writing: KubeClient;
  readonly leadership: Leadership;
  /** Of the control plane. */
  readonly namespace: string;
  /** Where the control plane keeps its Secrets and its Lease. */
  readonly ownPlace: string;
  readonly scope: ClusterScope;
  /** Undefined: xDS is plain text. */
  readonly identity: XdsIdentity | undefined;
  readonly access: AdminAccess & { readonly stop: () => void };
  /** What informers count and log. */
  readonly hooks: InformerHooks;
}

/** Reaches the cluster that the configuration names; rejects with an error that an operator can fix. */
export async function openCluster({ config, logger, metrics }: Context): Promise<OpenCluster> {
  const loaded = loadKubeConfig({ kubeconfig: kubeconfigOf(config) });
  const client = new KubeClient(loaded.kubeConfig);
  const namespace = ownNamespace(loaded);
  const ownPlace = config.leaderElection.namespace ?? namespace;
  const failed = (error: unknown) => startError(client.server, loaded.origin, error);
  const identity = await openXdsIdentity({ config, client, namespace, logger }).catch((error: unknown) => {
    throw failed(error);
  });
  const access = await openAdminAccess({ config, client, namespace: ownPlace, logger }).catch((error: unknown) => {
    identity?.stop();
    throw failed(error);
  });
  const leadership = createLeadership({ config, cluster: loaded, logger, metrics });
  return {
    loaded,
    client,
    writing: new KubeClient(loaded.kubeConfig, { mayWrite: leadership.term }),
    leadership,
    namespace,
    ownPlace,
    scope: clusterScope(config, namespace),
    identity,
    access,
    hooks: informerHooks(componentLogger(logger, 'kube'), metrics),
  };
}

function kubeconfigOf({ source }: Config): string | undefined {
  if (source.kind === 'kubernetes') return source.kubeconfig;
  throw new Error('the operator reads a cluster; a directory has startDirectoryControlPlane');
}

const informerHooks = (log: Logger, metrics: Metrics): InformerHooks => ({
  restarted(kind, reason, waitMs, error) {
    metrics.kube.watchRestarted(kind.name, reason);
    if (error) log.warn({ kind: kind.name, reason, waitMs }, error.message);
  },
  listed: (kind, objects, durationMs) => log.debug({ kind: kind.name, objects, durationMs }, 'listed'),
  handlerFailed: (kind, error) => log.error({ kind: kind.name, err: error }, 'failed to apply a watch event'),
});
