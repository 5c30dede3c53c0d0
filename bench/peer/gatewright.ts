import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { freePort } from '../../scripts/free-port.ts';
import type { ConfigInput } from '../../src/config/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { until } from '../../test/support/until.ts';
import { Program } from '../host/program.ts';
import { isReady } from '../support/ask.ts';
import { endChild, killChild } from '../support/children.ts';
import type { RouteProbe } from '../support/route-probe.ts';
import type { Streams, Subject } from './subject.ts';
import { namespace, users, type World } from './world.ts';

export interface GatewrightOptions {
  /** What figures call it. */
  readonly name?: string;
  /** Of its Gateway, its class and its Lease: those of one world differ. */
  readonly gateway?: string;
  /** How many data planes; one when left out. */
  readonly proxies?: number;
  /** What its control plane's configuration has besides. */
  readonly config?: ConfigInput;
}

/** Our control plane, agent and Envoy, as an image has them: one bundle, run by this Node. */
export class Gatewright implements Subject {
  readonly name: string;
  readonly version = 'this';
  readonly gateway: string;
  readonly user = users.gatewright;
  readonly probe: RouteProbe;
  readonly xdsPort: number;
  readonly #program: Program;
  /** URLs of its agents' servers. */
  readonly agents: readonly string[];
  #controlPlane: ChildProcess | undefined;
  #dataPlanes: readonly ChildProcess[] = [];

  private constructor(parts: {
    name: string;
    gateway: string;
    probe: RouteProbe;
    xdsPort: number;
    program: Program;
    agents: readonly string[];
  }) {
    this.name = parts.name;
    this.gateway = parts.gateway;
    this.probe = parts.probe;
    this.xdsPort = parts.xdsPort;
    this.#program = parts.program;
    this.agents = parts.agents;
  }

  static async prepare(
    world: World,
    { name = 'Gatewright', gateway = 'gatewright', proxies = 1, config: more = {} }: GatewrightOptions = {},
  ): Promise<Gatewright> {
    const [port = 0, xdsPort = 0, ...ports] = await Promise.all(Array.from({ length: 5 + proxies }, freePort));
    const [admin, layout2, metrics, ...agents] = ports.map((one) => `127.0.0.1:${one}`);
    const controllerName = `gatewright.dev/${gateway}`;
    const xds = `127.0.0.1:${xdsPort}`;
    const config = {
      source: { kubernetes: { kubeconfig: await world.kubeconfigOf(users.gatewright) } },
      xds: { listen: xds, insecure: true },
      admin: { listen: admin, layout2Listen: layout2 },
      metrics: { listen: metrics },
      infrastructure: { image: 'never-runs', serviceType: 'ClusterIP' },
      // As in a pod. So several can listen on one port, too, as pods of a Service answer for one address.
      dataplane: { cluster: `${namespace}/${gateway}`, xdsAddress: xds, adminListen: agents[0], reusePort: true },
      log: { level: 'warn' },
      controllerName,
      leaderElection: { id: gateway },
      ...more,
    };
    const program = await Program.prepare(join(world.api.directory, gateway), config);
    for (const [at, adminListen] of agents.entries())
      await program.addConfig(`proxy-${at}`, { ...config, dataplane: { ...config.dataplane, adminListen } });
    await world.addGateway(gateway, controllerName, port);
    const probe = world.probe(gateway, port);
    return new Gatewright({ name, gateway, probe, xdsPort, program, agents: agents.map((one) => `http://${one}`) });
  }

  async start(): Promise<void> {
    this.#controlPlane = await this.#program.start('control-plane');
    this.#dataPlanes = await Promise.all(
      this.agents.map((_, at) => this.#program.start('data-plane', { config: `proxy-${at}`, node: `bench-${at}` })),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([this.#controlPlane, ...this.#dataPlanes].map(endChild));
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
    const proxy = await this.#program.figuresOf('data-plane', this.#dataPlanes[0]);
    if (!controlPlane) throw new Error('the control plane ended while it was looked at');
    return { controlPlane, proxy };
  }

  /** Waits until the data plane has applied a snapshot and Envoy has bound every listener. */
  async dataPlaneReady(): Promise<void> {
    const [agent = ''] = this.agents;
    await until('the data plane to be ready', () => isReady(agent), 600_000);
  }
}
