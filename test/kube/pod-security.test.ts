import type { V1Deployment } from '@kubernetes/client-node';
import test from 'ava';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { deploymentOf } from '../../src/infrastructure/deployment.ts';
import { patched, podPatchFault } from '../../src/pod-patch/index.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { gatewayProxies, settings } from '../unit/infrastructure/gateway.ts';

/** What the API server's own admission says of patched pods, in a namespace with the pod security standard `restricted`. */

let server: KubeApiServer;
test.before(async (t) => {
  t.timeout(600_000);
  server = await borrowApiServer();
  const enforced = 'pod-security.kubernetes.io/enforce: restricted';
  await server.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: strict, labels: {${enforced}}}}`);
  await server.apply('{apiVersion: v1, kind: ServiceAccount, metadata: {name: gatewright-edge, namespace: strict}}');
});
test.after.always(() => server?.stop());

type Patch = Readonly<Record<string, unknown>>;

/** The pod of proxies with a patch, whatever our own rules say of it. */
function podOf(podPatch: Patch): KubernetesObject {
  const ours = podPatchFault(podPatch) === undefined;
  const parameters = (ours ? { podPatch } : {}) as never;
  const deployment = deploymentOf(gatewayProxies({ parameters }), settings) as unknown as V1Deployment;
  const spec = deployment.spec?.template.spec as unknown as Patch;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'proxy', namespace: 'strict' },
    spec: ours ? spec : patched(spec, podPatch),
  } as unknown as KubernetesObject;
}

async function admitted(podPatch: Patch): Promise<string> {
  try {
    const query = { dryRun: 'All' };
    const body = JSON.stringify(podOf(podPatch));
    await server.client.json({ method: 'POST', path: '/api/v1/namespaces/strict/pods', query, body });
    return 'admitted';
  } catch (error) {
    return (error as Error).message;
  }
}

const sidecar = (securityContext?: unknown, more: object = {}): Patch => ({
  containers: [{ name: 'side', image: 'side:1', ...(securityContext !== undefined && { securityContext }), ...more }],
});
const agent = (more: object): Patch => ({ containers: [{ name: 'data-plane', ...more }] });

const fine: Readonly<Record<string, Patch>> = {
  nothing: {},
  'a container': sidecar(),
  'a container with a user of its own': sidecar({ runAsUser: 1234, capabilities: { add: ['NET_BIND_SERVICE'] } }),
  'a profile of the node': sidecar({ seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' } }),
  SELinux: sidecar({ seLinuxOptions: { type: 'container_t', level: 's0' } }),
  'an init container': { initContainers: [{ name: 'i', image: 'i:1' }] },
  volumes: {
    volumes: [
      { name: 'a', configMap: { name: 'a' } },
      { name: 'b', persistentVolumeClaim: { claimName: 'b' } },
      { name: 'c', projected: { sources: [] } },
      { name: 'd', csi: { driver: 'd.test' } },
    ],
  },
  sysctls: { securityContext: { fsGroup: 7, sysctls: [{ name: 'net.ipv4.tcp_keepalive_time', value: '60' }] } },
  'a variable and a mount': {
    ...agent({ env: [{ name: 'A', value: 'b' }], volumeMounts: [{ name: 'a', mountPath: '/a' }] }),
    volumes: [{ name: 'a', emptyDir: {} }],
  },
};
for (const [name, patch] of Object.entries(fine))
  test(`taken by us and by the API server: ${name}`, async (t) => {
    t.timeout(600_000);
    t.is(podPatchFault(patch), undefined);
    t.is(await admitted(patch), 'admitted');
  });

const hostile: Readonly<Record<string, Patch>> = {
  privileged: sidecar({ privileged: true }),
  escalation: agent({ securityContext: { allowPrivilegeEscalation: true } }),
  root: { securityContext: { runAsUser: 0 } },
  'root of a container': sidecar({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsUser: 0 }),
  'perhaps root': { securityContext: { runAsNonRoot: false } },
  'a capability': agent({ securityContext: { capabilities: { add: ['NET_RAW'] } } }),
  'a capability kept': agent({ securityContext: { capabilities: { drop: ['NET_RAW'] } } }),
  'no seccomp': { securityContext: { seccompProfile: { type: 'Unconfined' } } },
  'no AppArmor': { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
  SELinux: { securityContext: { seLinuxOptions: { type: 'spc_t' } } },
  'a role of SELinux': agent({ securityContext: { seLinuxOptions: { role: 'sysadm_r' } } }),
  'a folder of the node': { volumes: [{ name: 'a', hostPath: { path: '/' } }] },
  NFS: { volumes: [{ name: 'a', nfs: { server: 'a', path: '/' } }] },
  'a sysctl': { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
  'the network of the node': { hostNetwork: true },
  'processes of the node': { hostPID: true },
  'a port of the node': sidecar(
    { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    { ports: [{ containerPort: 1, hostPort: 1 }] },
  ),
};
for (const [name, patch] of Object.entries(hostile))
  test(`rejected by us, as by the API server: ${name}`, async (t) => {
    t.timeout(600_000);
    t.not(podPatchFault(patch), undefined);
    // Some of it is rejected before admission is asked.
    t.regex(await admitted(patch), /violates PodSecurity|disallowed by cluster policy|may not be specified/);
  });
