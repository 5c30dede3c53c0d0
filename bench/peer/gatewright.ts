import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { freePort } from '../../scripts/free-port.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { until } from '../../test/support/until.ts';
import { Program } from '../host/program.ts';
import { isReady } from '../support/ask.ts';
import { endChild, killChild } from '../support/children.ts';
import type { RouteProbe } from '../support/route-probe.ts';
import type { Streams, Subject } from './subject.ts';
import { namespace, users, type World } from './world.ts';

const gateway = 'gatewright';

/** Our control plane, agent and Envoy, as an image has them: one bundle, run by this Node. */
export class Gatewright implements Subject {
  readonly name = 'Gatewright';
  readonly version = 'this';
  readonly gateway = gateway;
  readonly user = users.gatewright;
  readonly probe: RouteProbe;
  readonly xdsPort: number;
  readonly #program: Program;
  readonly #agent: string;
  #controlPlane: ChildProcess | undefined;
  #dataPlane: ChildProcess | undefined;

  private constructor(parts: { probe: RouteProbe; xdsPort: number; program: Program; agent: string }) {
    this.probe = parts.probe;
    this.xdsPort = parts.xdsPort;
    this.#program = parts.program;
    this.#agent = parts.agent;
  }

  static async prepare(world: World): Promise<Gatewright> {
    const [port = 0, xdsPort = 0, ...ports] = await Promise.all(Array.from({ length: 6 }, freePort));
    const [admin, layout2, metrics, agent] = ports.map((one) => `127.0.0.1:${one}`);
    const xds = `127.0.0.1:${xdsPort}`;
    const config = {
      source: { kubernetes: { kubeconfig: await world.kubeconfigOf(users.gatewright) } },
      xds: { listen: xds, insecure: true },
      admin: { listen: admin, layout2Listen: layout2 },
      metrics: { listen: metrics },
      infrastructure: { image: 'never-runs', serviceType: 'ClusterIP' },
      dataplane: { cluster: `${namespace}/${gateway}`, xdsAddress: xds, adminListen: agent },
      log: { level: 'warn' },
    };
    const program = await Program.prepare(join(world.api.directory, gateway), config);
    await world.addGateway(gateway, 'gatewright.dev/gateway-controller', port);
    const probe = world.probe(gateway, port);
    return new Gatewright({ probe, xdsPort, program, agent: `http://${agent}` });
  }

  async start(): Promise<void> {
    this.#controlPlane = await this.#program.start('control-plane');
    this.#dataPlane = await this.#program.start('data-plane');
  }

  async stop(): Promise<void> {
    await Promise.all([endChild(this.#controlPlane), endChild(this.#dataPlane)]);
  }

  async crash(): Promise<void> {
    await killChild(this.#controlPlane);
    this.#controlPlane = await this.#program.start('control-plane');
  }

  async streams(): Promise<Streams> {
    const asked = [typeUrls.cluster, typeUrls.listener, typeUrls.scopedRoute, typeUrls.snapshot];
    return { credentials: credentials.createInsecure(), asked };
  }

  async processes() {
    const [controlPlane] = await this.#program.figuresOf('control-plane', this.#controlPlane);
    const proxy = await this.#program.figuresOf('data-plane', this.#dataPlane);
    if (!controlPlane) throw new Error('the control plane ended while it was looked at');
    return { controlPlane, proxy };
  }

  /** Waits until the data plane has applied a snapshot and Envoy has bound every listener. */
  async dataPlaneReady(): Promise<void> {
    await until('the data plane to be ready', () => isReady(this.#agent), 600_000);
  }
}
