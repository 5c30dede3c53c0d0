import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { credentials } from '@grpc/grpc-js';
import { freePort } from '../../scripts/free-port.ts';
import { envoyPath } from '../../scripts/paths.mjs';
import { typeUrls } from '../../src/envoy/index.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { type EnvoyGatewayOptions, envoyGatewayBootstrap, envoyGatewayConfig } from './envoy-gateway-config.ts';
import { type Built, type Command, type PeerParts, PeerSubject } from './peer-subject.ts';
import type { Streams } from './subject.ts';
import { namespace, systemNamespace, users, type World } from './world.ts';

/** Where its control plane looks for its certificates; nothing configures that. In the bench's own mount namespace. */
const certificates = '/certs';

/** Envoy Gateway in its Kubernetes mode, beside the same Envoy that we run, with the bootstrap that it would give to one. */
export class EnvoyGateway extends PeerSubject {
  readonly #folder: string;

  private constructor(parts: PeerParts) {
    super(parts);
    this.#folder = parts.folder;
  }

  static async prepare(
    world: World,
    { program, version }: Built,
    { rate, redis, proxies = 1 }: EnvoyGatewayOptions = {},
  ): Promise<EnvoyGateway> {
    const gateway = rate ? 'envoy-gateway-fast' : 'envoy-gateway';
    const folder = join(world.api.directory, gateway);
    await mkdir(folder, { recursive: true });
    await promisify(execFile)(program, ['certgen', '--local', '--config-home', folder]);
    for (const file of ['ca.crt', 'tls.crt', 'tls.key'])
      await copyFile(join(folder, 'certs/envoy-gateway', file), join(certificates, file));
    await addProxyCertificate(world, join(folder, 'certs/envoy'));
    await addSecret(world, 'envoy-oidc-hmac', 'Opaque', join(folder, 'certs/envoy-oidc-hmac'), ['hmac-secret']);
    const port = await freePort();
    const config = join(folder, 'config.json');
    const settings = { ...(rate && { rate }), ...(redis !== undefined && { redis }) };
    await writeFile(config, JSON.stringify(envoyGatewayConfig(settings)));
    const envoys = Array.from({ length: proxies }, (_, at) => envoyCommand(folder, gateway, at));
    await world.addGateway(gateway, 'gateway.envoyproxy.io/gatewayclass-controller', port);
    const env = { KUBECONFIG: await world.kubeconfigOf(users.envoyGateway), ENVOY_GATEWAY_NAMESPACE: systemNamespace };
    return new EnvoyGateway({
      name: rate ? `Envoy Gateway, ${rate.qps} requests/s` : 'Envoy Gateway',
      version,
      gateway,
      user: users.envoyGateway,
      xdsPort: 18000,
      probe: world.probe(gateway, port),
      folder,
      controlPlane: { program, args: ['server', '--config-path', config], env },
      proxies: await Promise.all(envoys),
    });
  }

  async streams(): Promise<Streams> {
    const [ca, key, certificate] = await Promise.all(
      ['ca.crt', 'tls.key', 'tls.crt'].map((file) => readFile(join(this.#certificates, file))),
    );
    // Its Envoys check who signed, not for whom.
    const verify = { checkServerIdentity: () => undefined };
    return {
      credentials: credentials.createSsl(ca, key, certificate, verify),
      asked: [typeUrls.cluster, typeUrls.listener],
    };
  }

  /** What its proxies show, and check it by. */
  get #certificates(): string {
    return this.certificatesOf('envoy');
  }

  /** Folder of what a part of it shows, and checks others by: `envoy`, `envoy-rate-limit`. */
  certificatesOf(part: string): string {
    return join(this.#folder, 'certs', part);
  }
}

/** Writes the bootstrap of its Envoy of that number. @returns how to start it */
async function envoyCommand(folder: string, gateway: string, at: number): Promise<Command> {
  const bootstrap = join(folder, `bootstrap-${at}.json`);
  await writeFile(bootstrap, JSON.stringify(envoyGatewayBootstrap(join(folder, 'certs/envoy'), await freePort())));
  const args = ['--config-path', bootstrap, '--use-dynamic-base-id', '--log-level', 'warn'];
  const identity = ['--service-cluster', `${namespace}/${gateway}`, '--service-node', `bench-${at}`];
  return { program: envoyPath(), args: [...args, ...identity] };
}

/** What its proxies show to it, as its chart's job would leave it: it looks for that at each of its translations. */
const addProxyCertificate = (world: World, folder: string): Promise<unknown> =>
  addSecret(world, 'envoy', 'kubernetes.io/tls', folder, ['ca.crt', 'tls.crt', 'tls.key']);

/** A Secret of that job, with the files that `certgen` wrote. */
async function addSecret(
  world: World,
  name: string,
  type: string,
  folder: string,
  files: readonly string[],
): Promise<unknown> {
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'base64')));
  return await world.api.client.apply(kinds.Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: systemNamespace },
    type,
    data: Object.fromEntries(files.map((file, at) => [file, texts[at]])),
  } as KubernetesObject);
}
