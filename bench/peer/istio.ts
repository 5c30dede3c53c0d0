import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { envoyPath } from '../../scripts/paths.mjs';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { backendAddress } from '../host/own-network.ts';
import { istioArguments, istioBootstrap, istioEnvironment, istioMesh, istioXdsPort } from './istio-config.ts';
import { type Built, PeerSubject } from './peer-subject.ts';
import { addProxyPod } from './proxy-pod.ts';
import type { Subject } from './subject.ts';
import { namespace, peerNamespaces, users, type World } from './world.ts';

/** Istio's control plane as its chart runs it, beside the same Envoy that we run, and without Istio's agent. */
export async function prepareIstio(world: World, { program, version }: Built): Promise<Subject> {
  const gateway = 'istio';
  const folder = join(world.api.directory, gateway);
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  await world.addGateway(gateway, 'istio.io/gateway-controller', port);
  const labels = { 'gateway.networking.k8s.io/gateway-name': gateway };
  const service = `${gateway}-${gateway}`;
  await addProxyService(world, service, labels, port);
  const pod = { name: `${service}-0`, labels, serviceAccount: service };
  await addProxyPod(world, pod);
  const mesh = join(folder, 'mesh.json');
  await writeFile(mesh, JSON.stringify(istioMesh()));
  const bootstrap = join(folder, 'bootstrap.json');
  const adminPort = await freePort();
  const proxy = { ...pod, namespace, pod: pod.name, service, address: backendAddress, adminPort };
  await writeFile(bootstrap, JSON.stringify(istioBootstrap(proxy)));
  const kubeconfig = await world.kubeconfigOf(users.istio);
  const logging = ['--log-level', 'warn', '--component-log-level', 'misc:error'];
  return new PeerSubject({
    name: 'Istio',
    version,
    gateway,
    user: users.istio,
    xdsPort: istioXdsPort,
    probe: world.probe(gateway, port),
    folder,
    controlPlane: {
      program,
      args: istioArguments(kubeconfig, mesh),
      env: istioEnvironment(peerNamespaces.istio),
    },
    proxies: [{ program: envoyPath(), args: ['--config-path', bootstrap, '--use-dynamic-base-id', ...logging] }],
  });
}

/** The Service that it would make of a Gateway of that name: by its selector the control plane finds the proxy's ports. */
async function addProxyService(
  { api }: World,
  name: string,
  selector: Readonly<Record<string, string>>,
  port: number,
): Promise<void> {
  const spec = { selector, ports: [{ name: 'http', port, protocol: 'TCP', appProtocol: 'http' }] };
  const object = { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, labels: selector }, spec };
  await api.client.apply(kinds.Service, object as KubernetesObject);
}
