import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { KubeClient, loadKubeConfig, type ResourceType } from '../../src/kube/index.ts';
import { until } from '../../test/support/until.ts';
import { RouteProbe } from '../support/route-probe.ts';

const namespace = 'gatewright-bench';
const gateway = { name: 'bench', namespace };
const deployments: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments' };
const namespaces: ResourceType = { group: '', version: 'v1', plural: 'namespaces' };
const echo = 'registry.k8s.io/gateway-api/conformance/echo-basic:v0.1.0';

/** One Gateway with one backend in a namespace of its own, in the cluster that KUBECONFIG names. */
export interface ClusterRig {
  readonly probe: RouteProbe;
  close(keep: boolean): Promise<void>;
}

/** Makes the Gateway and waits until it forwards a request. */
export async function openClusterRig(gatewayClass: string): Promise<ClusterRig> {
  const kube = new KubeClient(loadKubeConfig().kubeConfig, { fieldManager: 'bench' });
  for (const [type, object] of world(gatewayClass)) await kube.apply(type, object);
  const address = await until('the Gateway to have an address', async () => {
    const { status } = await kube.get<{ status?: GatewayStatus }>(kinds.Gateway, gateway);
    return status?.addresses?.[0]?.value;
  });
  const backend = { name: 'echo', port: 8080 };
  const probe = new RouteProbe({ kube, namespace, gateway: gateway.name, address, port: 80, backend });
  await probe.ready();
  return {
    probe,
    async close(keep) {
      probe.close();
      if (!keep) await kube.delete(namespaces, { name: namespace });
      kube.close();
    },
  };
}

interface GatewayStatus {
  readonly addresses?: readonly { readonly value: string }[];
}

function world(gatewayClassName: string): [ResourceType, KubernetesObject][] {
  const metadata = { name: 'echo', namespace };
  const labels = { app: 'echo' };
  const fieldOf = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
  const container = {
    name: 'echo',
    image: echo,
    env: [
      { name: 'POD_NAME', ...fieldOf('metadata.name') },
      { name: 'NAMESPACE', ...fieldOf('metadata.namespace') },
    ],
    readinessProbe: { tcpSocket: { port: 3000 }, periodSeconds: 1 },
  };
  return [
    [namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }],
    [
      deployments,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container] } },
        },
      },
    ],
    [
      kinds.Service,
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { selector: labels, ports: [{ port: 8080, targetPort: 3000 }] },
      },
    ],
    [
      kinds.Gateway,
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'Gateway',
        metadata: gateway,
        spec: { gatewayClassName, listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
      },
    ],
  ];
}
