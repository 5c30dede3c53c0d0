import { CoreV1Api, type KubeConfig } from '@kubernetes/client-node';
import type { AdminClient } from '../kit/admin-client.ts';
import { controlPlaneSelector } from '../kit/port-forward.ts';
import type { Wire } from '../kit/wire.ts';
import type { TextPart } from './collect.ts';

/** So much of each log, from its end. */
const tailLines = 10_000;
const limitBytes = 16 * 1024 * 1024;

/** The logs of the control plane's pods and of those that run for Gateways, each container's own. None where pods cannot be listed. */
export async function clusterLogs(config: KubeConfig, namespace: string, client: AdminClient): Promise<TextPart[]> {
  const api = config.makeApiClient(CoreV1Api);
  const { items } = await api.listNamespacedPod({ namespace, labelSelector: controlPlaneSelector });
  const control = items.flatMap(({ metadata, spec }) =>
    (spec?.containers ?? []).map(({ name }) => ({ namespace, pod: metadata?.name ?? '', container: name })),
  );
  const proxies = await proxyContainers(api, client);
  return [...control, ...proxies].map((place) => ({
    name: `logs/${place.namespace}/${place.pod}/${place.container}.log`,
    read: () =>
      api.readNamespacedPodLog({
        namespace: place.namespace,
        name: place.pod,
        container: place.container,
        tailLines,
        limitBytes,
        timestamps: true,
      }),
  }));
}

async function proxyContainers(api: CoreV1Api, client: AdminClient) {
  const { resources } = await client.get<Wire['infrastructure']>('/v1/infrastructure');
  const pods = resources.filter(({ kind }) => kind === 'Pod');
  const found = await Promise.all(
    pods.map(async ({ namespace, name }) => {
      const pod = await api.readNamespacedPod({ namespace, name }).catch(() => undefined);
      return (pod?.spec?.containers ?? []).map((container) => ({ namespace, pod: name, container: container.name }));
    }),
  );
  return found.flat();
}
