import type { V1Service } from '@kubernetes/client-node';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { proxyKinds } from '../../src/infrastructure/index.ts';
import type { KubeApiServer } from './kube-apiserver.ts';
import { until } from './until.ts';

/** Where the objects of some proxies are, and what they are called. */
export interface ProxiesPlace {
  readonly namespace: string;
  readonly name: string;
}

/** One pod of proxies as the cluster has it. */
export interface ProxyPod {
  readonly name: string;
  readonly ready: boolean;
  /** It is about to end; it may serve until then. */
  readonly serving?: boolean;
}

/**
 * Says of a Gateway's proxies what kubelets and the cluster's controllers would: the pods behind the Service, as an EndpointSlice with
 * the Service's labels and its ports, and how many of them the Deployment counts as available.
 */
export async function setProxyPods(
  api: KubeApiServer,
  place: ProxiesPlace,
  pods: readonly ProxyPod[] = [{ name: `${place.name}-1`, ready: true }],
): Promise<void> {
  const service = await until('the Service of the proxies', () =>
    api.client.find<KubernetesObject & V1Service>(proxyKinds.Service, place),
  );
  await until('the Deployment of the proxies', () => api.client.find(proxyKinds.Deployment, place));
  const ready = pods.filter((pod) => pod.ready).length;
  await api.client.apply(kinds.EndpointSlice, sliceOf(place, service, pods));
  await api.client.patchStatus(proxyKinds.Deployment, place, {
    status: { replicas: pods.length, readyReplicas: ready, availableReplicas: ready },
  });
}

const sliceOf = ({ namespace, name }: ProxiesPlace, { metadata, spec }: V1Service, pods: readonly ProxyPod[]) =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      name: `${name}-slice`,
      labels: { ...metadata?.labels, 'kubernetes.io/service-name': name },
    },
    addressType: 'IPv4',
    endpoints: pods.map(({ name: pod, ready, serving = ready }, index) => ({
      addresses: [`10.1.0.${index + 1}`],
      conditions: { ready, serving, terminating: serving && !ready },
      targetRef: { kind: 'Pod', namespace, name: pod },
    })),
    ports: (spec?.ports ?? []).map(({ name: port, port: number, protocol }) => ({
      name: port,
      port: number,
      protocol,
    })),
  }) as unknown as KubernetesObject;
