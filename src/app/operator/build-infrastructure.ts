import { type Config, ConfigError } from '../../config/index.ts';
import { KubeInfrastructure } from '../../infrastructure/index.ts';
import { KubeError } from '../../kube/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core, Proxies, UnreadableNamespaces } from '../control-plane/index.ts';
import { clusterParts } from './cluster-parts.ts';
import { controlPlaneHosts } from './control-plane-hosts.ts';
import type { OpenCluster } from './open-cluster.ts';
import { proxiesOf } from './proxies-of.ts';

export interface InfrastructureOptions {
  readonly unreadable: UnreadableNamespaces;
  /** How long Gateways that move between proxies of their own and shared ones keep the old ones beside the new. Milliseconds. */
  readonly oldFleetGraceMs: number;
}

/** Makes the Deployments, Services and the like of Gateways, while this replica leads. Throws a ConfigError for what it lacks. */
export function buildInfrastructure(
  core: Core,
  cluster: OpenCluster,
  { unreadable, oldFleetGraceMs }: InfrastructureOptions,
): KubeInfrastructure {
  const { writing, leadership, hooks } = cluster;
  const log = componentLogger(core.logger, 'infrastructure');
  return new KubeInfrastructure({
    client: writing,
    settings: settingsOf(core.config, cluster),
    isLeader: leadership.isLeader,
    oldFleetGraceMs,
    mayRemove: (key) => unreadable.knowsUsersOf(key),
    onState: (key, { ready: _, ...state }) => core.setDataPlane(key, state),
    onPods: (key, names) => core.setPods(key, names),
    onFailure: (key, error) => {
      // The API server's message names the object; where we called it from says nothing more.
      const cause = error instanceof KubeError ? { error: error.message } : { err: error };
      log.warn({ gateway: key, ...cause }, 'failed to apply proxy resources; retrying');
    },
    onForbidden: (kind, reason) =>
      log.warn({ kind, reason }, 'proxies are without this, and serve all the same: apply the rights of this release'),
    hooks,
  });
}

function settingsOf(
  config: Config,
  { scope, namespace, identity }: OpenCluster,
): ConstructorParameters<typeof KubeInfrastructure>[0]['settings'] {
  const { image, envoyImage, xdsAddress, serviceType, loadBalancer, replicas, ipFamily } = config.infrastructure;
  const { sessionPersistence, networkPolicy } = config.infrastructure;
  const { existingSecret: sessionSecret } = sessionPersistence;
  if (!image) throw new ConfigError('infrastructure.image is not set: name the image that the proxies of Gateways run');
  return {
    controllerName: config.controllerName,
    namespace: scope.proxies,
    namespaces: scope.writes,
    image,
    envoyImage,
    xdsAddress,
    egress: { ...config.backends, controlPlaneHosts: controlPlaneHosts(config) },
    serviceType,
    loadBalancer,
    replicas,
    ...(ipFamily && { ipFamily }),
    trust: identity?.trust,
    ...(networkPolicy.enabled && {
      networkPolicy: { controlPlaneNamespace: namespace, metricsFrom: networkPolicy.metricsFrom },
    }),
    ...(sessionSecret !== undefined && { sessionSecret }),
  };
}

/** The proxies of a cluster. */
export const clusterProxies = (
  core: Core,
  { client, scope }: OpenCluster,
  infrastructure: KubeInfrastructure,
): Proxies => ({
  ensure: (fleet) => infrastructure.ensure(proxiesOf(fleet)),
  remove(key) {
    core.setDataPlane(key, undefined);
    infrastructure.remove(key);
  },
  complete: () => infrastructure.complete(),
  parts: () => clusterParts({ infrastructure, client, graph: core.graph, namespaces: scope.writes }),
});
