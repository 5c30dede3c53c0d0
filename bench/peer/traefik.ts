import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { type Built, PeerSubject } from './peer-subject.ts';
import type { Subject } from './subject.ts';
import { users, type World } from './world.ts';

export interface TraefikOptions {
  /** How long it waits between two configurations, such as `0s`. Its own default is `2s`. */
  readonly pause?: string;
}

/** Traefik with its provider for the Gateway API: one process, which is its own proxy. */
export async function prepareTraefik(
  world: World,
  { program, version }: Built,
  { pause }: TraefikOptions = {},
): Promise<Subject> {
  const gateway = pause === undefined ? 'traefik' : 'traefik-fast';
  const folder = join(world.api.directory, gateway);
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  await world.addGateway(gateway, 'traefik.io/gateway-controller', port);
  return new PeerSubject({
    name: pause === undefined ? 'Traefik' : `Traefik, pause of ${pause}`,
    version,
    gateway,
    user: users.traefik,
    xdsPort: undefined,
    probe: world.probe(gateway, port),
    folder,
    controlPlane: {
      program,
      args: traefikArguments(port, pause),
      env: { KUBECONFIG: await world.kubeconfigOf(users.traefik) },
    },
    proxies: [],
  });
}

/** As its documentation has it, and no calls to the outside. Listeners of a Gateway need an entry point of the same port. */
const traefikArguments = (port: number, pause: string | undefined): readonly string[] => [
  `--entryPoints.web.address=127.0.0.1:${port}`,
  '--providers.kubernetesGateway=true',
  ...(pause === undefined ? [] : [`--providers.providersThrottleDuration=${pause}`]),
  '--global.checkNewVersion=false',
  '--global.sendAnonymousUsage=false',
  '--log.level=WARN',
];
