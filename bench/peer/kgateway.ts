import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { envoyPath } from '../../scripts/paths.mjs';
import { kgatewayBootstrap, kgatewayEnvironment, kgatewayXdsPort, tokenSecret } from './kgateway-config.ts';
import { type Built, PeerSubject } from './peer-subject.ts';
import { addProxyPod, projectedToken } from './proxy-pod.ts';
import type { Subject } from './subject.ts';
import { namespace, peerNamespaces, users, type World } from './world.ts';

/** kgateway as its chart runs it, beside the same Envoy that we run, with the bootstrap that it would give to one. */
export async function prepareKgateway(world: World, { program, version }: Built): Promise<Subject> {
  const gateway = 'kgateway';
  const folder = join(world.api.directory, gateway);
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  await world.addGateway(gateway, 'kgateway.dev/kgateway', port);
  const labels = { 'gateway.networking.k8s.io/gateway-name': gateway };
  const pod = { name: `${gateway}-0`, labels, serviceAccount: gateway };
  await addProxyPod(world, pod);
  const token = join(folder, 'token.json');
  const secret = tokenSecret(await projectedToken(world, pod, 'kgateway'));
  await writeFile(token, JSON.stringify(secret), { mode: 0o600 });
  const bootstrap = join(folder, 'bootstrap.json');
  const config = kgatewayBootstrap({ namespace, gateway, token, adminPort: await freePort() });
  await writeFile(bootstrap, JSON.stringify(config));
  const env = kgatewayEnvironment(await world.kubeconfigOf(users.kgateway), peerNamespaces.kgateway);
  const envoyArgs = ['--config-path', bootstrap, '--use-dynamic-base-id', '--log-level', 'warn'];
  const identity = ['--service-node', `${pod.name}.${namespace}`];
  return new PeerSubject({
    name: 'kgateway',
    version,
    gateway,
    user: users.kgateway,
    xdsPort: kgatewayXdsPort,
    probe: world.probe(gateway, port),
    folder,
    controlPlane: { program, args: [], env },
    proxies: [{ program: envoyPath(), args: [...envoyArgs, ...identity] }],
  });
}
