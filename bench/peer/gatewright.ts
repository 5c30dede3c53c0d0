import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { bundle } from '../../scripts/bundle.ts';
import { freePort } from '../../scripts/free-port.ts';
import { root } from '../../scripts/paths.mjs';
import { until } from '../../test/support/until.ts';
import { isReady } from '../support/ask.ts';
import { processesOf } from '../support/processes.ts';
import { RouteProbe } from '../support/route-probe.ts';
import { endChild, pidOf, startChild } from './children.ts';
import type { Subject } from './subject.ts';
import { backend, namespace, users, type World } from './world.ts';

const gateway = 'gatewright';

/** Our control plane, agent and Envoy, as an image has them: one bundle, run by this Node. */
export class Gatewright implements Subject {
  readonly name = 'Gatewright';
  readonly version = 'this';
  readonly gateway = gateway;
  readonly user = users.gatewright;
  readonly probe: RouteProbe;
  readonly xdsPort: number;
  readonly #folder: string;
  readonly #agent: string;
  #controlPlane: ChildProcess | undefined;
  #dataPlane: ChildProcess | undefined;

  private constructor(parts: { probe: RouteProbe; xdsPort: number; folder: string; agent: string }) {
    this.probe = parts.probe;
    this.xdsPort = parts.xdsPort;
    this.#folder = parts.folder;
    this.#agent = parts.agent;
  }

  static async prepare(world: World): Promise<Gatewright> {
    const folder = join(world.api.directory, gateway);
    await mkdir(join(folder, 'run'), { recursive: true });
    await bundle(join(folder, 'app'));
    const [port = 0, xdsPort = 0, ...ports] = await Promise.all(Array.from({ length: 6 }, freePort));
    const [admin, layout2, metrics, agent] = ports.map((one) => `127.0.0.1:${one}`);
    const xds = `127.0.0.1:${xdsPort}`;
    const config = {
      source: { kubernetes: { kubeconfig: await world.kubeconfigOf(users.gatewright) } },
      xds: { listen: xds, insecure: true },
      admin: { listen: admin, layout2Listen: layout2 },
      metrics: { listen: metrics },
      infrastructure: { image: 'nobody-runs-it', serviceType: 'ClusterIP' },
      dataplane: { cluster: `${namespace}/${gateway}`, xdsAddress: xds, adminListen: agent },
      log: { level: 'warn' },
    };
    await writeFile(join(folder, 'run/config.json'), JSON.stringify(config));
    await world.addGateway(gateway, 'gatewright.dev/gateway-controller', port);
    const probe = new RouteProbe({ kube: world.api.client, namespace, gateway, address: '127.0.0.1', port, backend });
    return new Gatewright({ probe, xdsPort, folder, agent: `http://${agent}` });
  }

  async start(): Promise<void> {
    this.#controlPlane = await this.#run('control-plane');
    this.#dataPlane = await this.#run('data-plane');
  }

  async stop(): Promise<void> {
    await Promise.all([endChild(this.#controlPlane), endChild(this.#dataPlane)]);
  }

  async processes() {
    const [controlPlane] = await processesOf(
      pidOf(this.#controlPlane, 'the control plane', this.#log('control-plane')),
    );
    const proxy = await processesOf(pidOf(this.#dataPlane, 'the data plane', this.#log('data-plane')));
    if (!controlPlane) throw new Error('the control plane ended while it was looked at');
    return { controlPlane, proxy };
  }

  /** Waits until the data plane has applied a snapshot and Envoy has bound every listener. */
  async dataPlaneReady(): Promise<void> {
    await until('the data plane to be ready', () => isReady(this.#agent), 600_000);
  }

  async #run(role: string): Promise<ChildProcess> {
    const args = [join(this.#folder, 'app/bin/gatewright.js'), role, '--config', join(this.#folder, 'run/config.json')];
    const env = { SVC_GW_NODE_ID: 'bench-0', ...(role === 'control-plane' && { NODE_OPTIONS: await nodeOptions() }) };
    return startChild(process.execPath, args, { log: this.#log(role), env });
  }

  #log(role: string): string {
    return join(this.#folder, `${role}.log`);
  }
}

/** What the manifests set for the control plane's Node. */
async function nodeOptions(): Promise<string> {
  const deployment = parse(await readFile(join(root, 'manifests/30-control-plane.yaml'), 'utf8'));
  const { env } = deployment.spec.template.spec.containers[0];
  return env.find(({ name }: { name: string }) => name === 'NODE_OPTIONS').value;
}
