import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import { namespace, type World } from './world.ts';

const serviceAccounts: ResourceType = { group: '', version: 'v1', plural: 'serviceaccounts' };
const pods: ResourceType = { group: '', version: 'v1', plural: 'pods' };

/** What a peer's Deployment would have made of one proxy. */
export interface ProxyPod {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
}

/** Writes the pod and its ServiceAccount, in the namespace of the Gateway: no controller does, and peers look for it. */
export async function addProxyPod({ api }: World, { name, labels, serviceAccount }: ProxyPod): Promise<void> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: serviceAccount, namespace } };
  await api.client.apply(serviceAccounts, account);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { serviceAccountName: serviceAccount, containers: [{ name: 'proxy', image: 'never-runs' }] },
  };
  await api.client.apply(pods, pod as KubernetesObject);
}

/** A token as the kubelet would project it into that pod, for half a day. */
export async function projectedToken(
  { api }: World,
  { name, serviceAccount }: ProxyPod,
  audience: string,
): Promise<string> {
  const spec = {
    audiences: [audience],
    expirationSeconds: 43_200,
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name },
  };
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`;
  const { status } = await api.client.json<{ readonly status: { readonly token: string } }>({
    method: 'POST',
    path,
    body,
  });
  return status.token;
}
