import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import type { ConfigInput } from '../../src/config/index.ts';
import { agentToken } from './agent-world.ts';
import type { Endings } from './endings.ts';
import { envoyPath } from './envoy.ts';
import { type Running, startProgram } from './program.ts';
import { request } from './request.ts';
import { until } from './until.ts';

const at = (port: number): string => `127.0.0.1:${port}`;

export interface TwoProcessesOptions {
  /** What is there at the start, by file. */
  readonly files: Readonly<Record<string, readonly object[]>>;
  /** Of the control plane's Layout 1; any by default. */
  readonly adminPort?: number;
  /** Beyond where both listen. */
  readonly controlPlane: ConfigInput;
  readonly dataPlane: ConfigInput;
}

/** The program as it is installed without a cluster: a control plane over a directory, and a data plane with its Envoy, each a process of its own. */
export class TwoProcesses {
  readonly xdsPort: number;
  readonly adminPort: number;
  readonly #folder: string;
  readonly #options: TwoProcessesOptions;
  readonly #metricsPort: number;
  readonly #agentPort: number;
  #controlPlane: Running | undefined;

  private constructor(folder: string, options: TwoProcessesOptions, ports: readonly number[]) {
    const [xds = 0, admin = 0, metrics = 0, agent = 0] = ports;
    this.#folder = folder;
    this.#options = options;
    this.xdsPort = xds;
    this.adminPort = admin;
    this.#metricsPort = metrics;
    this.#agentPort = agent;
  }

  /** Starts the control plane alone, and waits until it is ready. */
  static async start(t: Endings, options: TwoProcessesOptions): Promise<TwoProcesses> {
    const folder = mkdtempSync(join(tmpdir(), 'gatewright-two-'));
    const ports = await Promise.all([freePort(), options.adminPort ?? freePort(), freePort(), freePort()]);
    const world = new TwoProcesses(folder, options, ports);
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(world.#directory);
    for (const [file, objects] of Object.entries(options.files)) world.write(file, ...objects);
    t.teardown(() => world.#controlPlane && stop(world.#controlPlane));
    await world.startControlPlane();
    return world;
  }

  /** Starts the control plane again, after it was killed, and waits until it is ready. */
  async startControlPlane(): Promise<void> {
    const program = this.#run('control-plane', {
      source: { directory: this.#directory },
      xds: { listen: at(this.xdsPort), insecure: true },
      admin: { listen: at(this.adminPort), layout2Listen: at(await freePort()) },
      metrics: { listen: at(this.#metricsPort) },
      state: { directory: this.stateDirectory },
      ...this.#options.controlPlane,
    });
    this.#controlPlane = program;
    await alive(program, 'the control plane to be ready', () => this.#isReady(this.adminPort));
  }

  /** As a machine that fails does it. */
  async killControlPlane(): Promise<void> {
    this.#controlPlane?.kill('SIGKILL');
    await this.#controlPlane?.ended;
  }

  /** Starts the data plane, and gives it as soon as its admin API answers. */
  async startDataPlane(t: Endings, nodeId: string): Promise<Running> {
    const { dataplane, ...others } = this.#options.dataPlane;
    const own = {
      cluster: 'default/edge',
      xdsAddress: at(this.xdsPort),
      adminListen: at(this.#agentPort),
      adminAuth: { bearerToken: agentToken },
      cache: { directory: join(this.#folder, 'cache') },
      drainTime: '0s',
    };
    const config = { ...others, dataplane: { ...own, ...(dataplane as object) } };
    const program = this.#run('data-plane', config, { SVC_GW_NODE_ID: nodeId, ENVOY_PATH: envoyPath() });
    t.teardown(() => stop(program));
    await alive(program, 'the data plane to answer', async () => (await this.#get(this.#agentPort, '/healthz')).ok);
    return program;
  }

  /** Writes a file of the directory, in one step: one that is written in place is empty for a moment. */
  write(file: string, ...objects: readonly object[]): void {
    const written = join(this.#folder, 'written.yaml');
    writeFileSync(written, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    renameSync(written, join(this.#directory, file));
  }

  /** What the control plane's Layout 1 answers. */
  async json<T>(path: string): Promise<T> {
    return (await (await this.#get(this.adminPort, path)).json()) as T;
  }

  readonly scrapeControlPlane = async (): Promise<string> => (await this.#get(this.#metricsPort, '/metrics')).text();

  readonly scrapeDataPlane = async (): Promise<string> => (await this.#get(this.#agentPort, '/api/v1/metrics')).text();

  /** Of the data plane's Envoy. */
  async envoyPid(): Promise<number> {
    const headers = { authorization: `Bearer ${agentToken}` };
    const answer = await this.#get(this.#agentPort, '/api/v1/status', headers);
    return ((await answer.json()) as { envoy: { pid: number } }).envoy.pid;
  }

  isDataPlaneReady(): Promise<boolean> {
    return this.#isReady(this.#agentPort);
  }

  /** Of the control plane. */
  get stateDirectory(): string {
    return join(this.#folder, 'state');
  }

  /** What the data plane serves from without a control plane. */
  get cacheFile(): string {
    return join(this.#folder, 'cache', 'configuration.cache');
  }

  get #directory(): string {
    return join(this.#folder, 'resources');
  }

  async #isReady(port: number): Promise<boolean> {
    return (await this.#get(port, '/readyz')).ok;
  }

  #get(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return request(`http://${at(port)}${path}`, { headers });
  }

  #run(command: string, config: object, env: NodeJS.ProcessEnv = {}): Running {
    const file = join(this.#folder, `${command}.yaml`);
    writeFileSync(file, JSON.stringify(config));
    return startProgram([command, '--config', file], env);
  }
}

/** What the start of a process may take where tests share few cores. */
const startMs = 600_000;

/** Waits for a program that must not end meanwhile. */
async function alive(program: Running, what: string, ask: () => Promise<boolean>): Promise<void> {
  const ended = program.ended.then(({ stdout, stderr }) => Promise.reject(new Error(`it ended: ${stdout}${stderr}`)));
  await Promise.race([until(what, ask, startMs), ended]);
  // Later its end is the test's own doing.
  ended.catch(() => undefined);
}

async function stop(program: Running): Promise<void> {
  program.kill('SIGTERM');
  await program.ended;
}
