import { existsSync } from 'node:fs';
import { freePort } from '../../../scripts/free-port.ts';
import type { Endings } from '../endings.ts';
import type { Running } from '../program.ts';
import { TwoProcesses } from '../two-processes.ts';
import { until } from '../until.ts';
import { Asking } from './asking.ts';
import { issueCertificates } from './certificates.ts';
import { fixedObjects, objectsOf, type Ports } from './objects.ts';
import { type ModelServers, startServers } from './servers.ts';
import type { Ask, World } from './world.ts';

interface Parts {
  readonly processes: TwoProcesses;
  readonly servers: ModelServers;
  readonly ports: Ports;
  readonly asking: Asking;
}

interface Node {
  readonly connected: boolean;
  readonly ready: boolean;
  readonly lastAckVersion: string | null;
}

/** So many that none of them is longer than 32 KiB: what is longer is read in a thread, which takes a second or two to start. */
const filesEach = 3;

const inFiles = (name: string, objects: readonly object[]): Record<string, object[]> =>
  Object.fromEntries(
    Array.from({ length: filesEach }, (_, part) => [
      `${name}-${part}.yaml`,
      objects.filter((_object, at) => at % filesEach === part),
    ]),
  );

/** The same with a control plane, an agent and an Envoy that are killed and start again, each a process of its own. */
export class RestartRig {
  readonly #t: Endings;
  readonly #parts: Parts;
  #agent: Running | undefined;

  private constructor(t: Endings, parts: Parts) {
    this.#t = t;
    this.#parts = parts;
  }

  /** Begins with a world, and resolves when Envoy has it. */
  static async start(t: Endings, world: World): Promise<RestartRig> {
    const servers = await startServers();
    t.teardown(() => servers.close());
    const certificates = await issueCertificates();
    const ports = { plain: await freePort(), tls: await freePort() };
    const processes = await TwoProcesses.start(t, {
      files: {
        ...inFiles('gateway', fixedObjects(ports, certificates)),
        ...inFiles('world', [...servers.objects, ...objectsOf(world)]),
      },
      controlPlane: {},
      dataPlane: { dataplane: { logLevel: 'error' } },
    });
    const asking = new Asking(ports, certificates);
    t.teardown(() => asking.stop());
    const rig = new RestartRig(t, { processes, servers, ports, asking });
    await rig.startAgent();
    await rig.isCurrent();
    return rig;
  }

  /** Puts the world in the place of the former one. Only while no control plane is there is it known when it is read: at its start. */
  write(world: World): void {
    const { processes, servers } = this.#parts;
    for (const [file, objects] of Object.entries(inFiles('world', [...servers.objects, ...objectsOf(world)])))
      processes.write(file, ...objects);
  }

  killControlPlane(): Promise<void> {
    return this.#parts.processes.killControlPlane();
  }

  /** Resolves when the proxy has what it says. */
  async startControlPlane(): Promise<void> {
    await this.#parts.processes.startControlPlane();
    await this.isCurrent();
  }

  /** Envoy ends with it. By SIGTERM it keeps what it has. */
  async endAgent(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { cacheFile } = this.#parts.processes;
    await until('the agent to keep its configuration, which it does a moment later', () => existsSync(cacheFile));
    this.#agent?.kill(signal);
    await this.#agent?.ended;
  }

  /** Resolves when it serves. */
  async startAgent(): Promise<void> {
    this.#agent = await this.#parts.processes.startDataPlane(this.#t, 'one');
    await until('the proxy to serve', () => this.#parts.processes.isDataPlaneReady());
  }

  /** Its agent starts another one. */
  async killEnvoy(): Promise<void> {
    const { processes } = this.#parts;
    const former = await processes.envoyPid();
    process.kill(former, 'SIGKILL');
    await until('another Envoy', async () => (await processes.envoyPid()) !== former);
    await until('it to serve', () => processes.isDataPlaneReady());
  }

  /** Resolves when the proxy has the newest snapshot, less what it rejects of it. */
  async isCurrent(): Promise<void> {
    const { processes } = this.#parts;
    await until('the proxy to be current', async () => {
      const [{ snapshotVersion }, [node]] = await Promise.all([
        processes.json<{ readonly snapshotVersion: string | null }>('/v1/summary'),
        processes.json<readonly Node[]>('/v1/nodes'),
      ]);
      return node?.connected && node.ready && snapshotVersion !== null && node.lastAckVersion === snapshotVersion;
    });
  }

  /** See Asking.ask. A connection may be one to an Envoy that ended. */
  ask(world: World, host: number, ask: Ask): Promise<string> {
    return until('an answer', () => this.#parts.asking.ask(world, host, ask));
  }
}
