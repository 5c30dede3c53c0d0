import { type ChildProcess, execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { credentials } from '@grpc/grpc-js';
import { freePort } from '../../scripts/free-port.ts';
import { envoyPath } from '../../scripts/paths.mjs';
import type { ensureEnvoyGateway } from '../../scripts/setup/envoy-gateway.mjs';
import { typeUrls } from '../../src/envoy/index.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { endChild, killChild, pidOf, startChild } from '../support/children.ts';
import { processesOf } from '../support/processes.ts';
import type { RouteProbe } from '../support/route-probe.ts';
import { envoyGatewayBootstrap, envoyGatewayConfig } from './envoy-gateway-config.ts';
import type { Streams, Subject } from './subject.ts';
import { namespace, systemNamespace, users, type World } from './world.ts';

/** Where its control plane looks for its certificates; nothing configures that. In the bench's own mount namespace. */
const certificates = '/certs';

/** How fast it may ask the API server: requests per second and burst. Its own default is 50 and 100. */
export interface ClientRate {
  readonly qps: number;
  readonly burst: number;
}

export interface EnvoyGatewayOptions {
  readonly rate?: ClientRate;
  /** `HOST:PORT` of what its ratelimit service keeps limits in; there is no such service when left out. */
  readonly redis?: string;
  /** How many Envoys; one when left out. */
  readonly proxies?: number;
}

/** Envoy Gateway in its Kubernetes mode, beside the same Envoy that we run, with the bootstrap that it would give to one. */
export class EnvoyGateway implements Subject {
  readonly name: string;
  readonly version: string;
  readonly gateway: string;
  readonly user = users.envoyGateway;
  readonly xdsPort = 18000;
  readonly probe: RouteProbe;
  readonly #program: string;
  readonly #folder: string;
  readonly #proxies: number;
  readonly #kubeconfig: string;
  #controlPlane: ChildProcess | undefined;
  #envoys: readonly ChildProcess[] = [];

  private constructor(parts: {
    name: string;
    gateway: string;
    version: string;
    program: string;
    folder: string;
    proxies: number;
    kubeconfig: string;
    probe: RouteProbe;
  }) {
    this.name = parts.name;
    this.gateway = parts.gateway;
    this.version = parts.version;
    this.#program = parts.program;
    this.#folder = parts.folder;
    this.#proxies = parts.proxies;
    this.#kubeconfig = parts.kubeconfig;
    this.probe = parts.probe;
  }

  static async prepare(
    world: World,
    { program, version }: Awaited<ReturnType<typeof ensureEnvoyGateway>>,
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
    await writeFile(
      join(folder, 'config.json'),
      JSON.stringify(envoyGatewayConfig({ ...(rate && { rate }), ...(redis !== undefined && { redis }) })),
    );
    for (let at = 0; at < proxies; at += 1) {
      const bootstrap = envoyGatewayBootstrap(join(folder, 'certs/envoy'), await freePort());
      await writeFile(join(folder, `bootstrap-${at}.json`), JSON.stringify(bootstrap));
    }
    await world.addGateway(gateway, 'gateway.envoyproxy.io/gatewayclass-controller', port);
    const probe = world.probe(gateway, port);
    const name = rate ? `Envoy Gateway, ${rate.qps} requests/s` : 'Envoy Gateway';
    return new EnvoyGateway({
      name,
      gateway,
      version,
      program,
      folder,
      proxies,
      kubeconfig: await world.kubeconfigOf(users.envoyGateway),
      probe,
    });
  }

  async start(): Promise<void> {
    await this.#startControlPlane();
    const all = Array.from({ length: this.#proxies }, (_, at) => this.#startEnvoy(at));
    this.#envoys = await Promise.all(all);
  }

  async #startControlPlane(): Promise<void> {
    const env = { KUBECONFIG: this.#kubeconfig, ENVOY_GATEWAY_NAMESPACE: systemNamespace };
    const args = ['server', '--config-path', join(this.#folder, 'config.json')];
    this.#controlPlane = await startChild(this.#program, args, { log: this.#log('control-plane'), env });
  }

  #startEnvoy(at: number): Promise<ChildProcess> {
    const bootstrap = join(this.#folder, `bootstrap-${at}.json`);
    const args = ['--config-path', bootstrap, '--use-dynamic-base-id', '--log-level', 'warn'];
    const identity = ['--service-cluster', `${namespace}/${this.gateway}`, '--service-node', `bench-${at}`];
    // As our agent starts its own.
    return startChild(envoyPath(), [...args, ...identity], { log: this.#log('envoy'), detached: true });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#controlPlane, ...this.#envoys].map(endChild));
  }

  async crash(): Promise<void> {
    await killChild(this.#controlPlane);
    await this.#startControlPlane();
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

  async processes() {
    const [controlPlane] = await processesOf(pidOf(this.#controlPlane, 'Envoy Gateway', this.#log('control-plane')));
    const proxy = await processesOf(pidOf(this.#envoys[0], 'its Envoy', this.#log('envoy')));
    if (!controlPlane) throw new Error('Envoy Gateway ended while it was looked at');
    return { controlPlane, proxy };
  }

  /** What its proxies show, and check it by. */
  get #certificates(): string {
    return this.certificatesOf('envoy');
  }

  /** Folder of what a part of it shows, and checks others by: `envoy`, `envoy-rate-limit`. */
  certificatesOf(part: string): string {
    return join(this.#folder, 'certs', part);
  }

  #log(what: string): string {
    return join(this.#folder, `${what}.log`);
  }
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
