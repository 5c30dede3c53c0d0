import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { ConfigInput } from '../../src/config/index.ts';
import { fileFor, programFile } from './program.ts';
import { request } from './request.ts';
import { until } from './until.ts';

/** Where a control plane listens, on 127.0.0.1. */
export interface Ports {
  readonly xds: number;
  readonly admin: number;
  readonly layout2: number;
  readonly metrics: number;
}

export const freePorts = async (): Promise<Ports> => ({
  xds: await freePort(),
  admin: await freePort(),
  layout2: await freePort(),
  metrics: await freePort(),
});

export interface ProcessOptions {
  readonly ports: Ports;
  readonly kubeconfig: string;
  /** Ports of Layout 1 of all replicas. */
  readonly replicas: readonly number[];
  /** Beyond its places. */
  readonly config?: ConfigInput;
  /** The program, when it is not the one of this checkout. */
  readonly file?: string;
}

/** What the start of a process may take where tests share few cores. */
const startMs = 600_000;

/** `gatewright control-plane` as a process of its own, with the rights of a kubeconfig. */
export class ControlPlaneProcess {
  readonly ports: Ports;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  constructor(t: ExecutionContext<unknown>, options: ProcessOptions) {
    const { ports, kubeconfig, replicas, config: more, file = programFile } = options;
    this.ports = ports;
    const at = (port: number) => `127.0.0.1:${port}`;
    const config = {
      source: { kubernetes: { kubeconfig } },
      xds: { listen: at(ports.xds), insecure: true },
      admin: { listen: at(ports.admin), layout2Listen: at(ports.layout2) },
      metrics: { listen: at(ports.metrics) },
      infrastructure: { image: 'never-runs', serviceType: 'ClusterIP' },
      leaderElection: { namespace: 'default', leaseDuration: '20s', renewDeadline: '14s', retryPeriod: '1s' },
      replicas: { peers: replicas.map(at) },
      log: { level: 'warn' },
      ...more,
    };
    this.#child = spawn(
      process.execPath,
      [file, 'control-plane', '--config', fileFor(t as ExecutionContext, JSON.stringify(config))],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    this.#exited = once(this.#child, 'exit').then(([code]) => code as number | null);
    const kill = () => this.#child.kill('SIGKILL');
    process.once('exit', kill);
    t.teardown(async () => {
      await this.kill();
      process.removeListener('exit', kill);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look at single fields of answers
  async json(path: string): Promise<any> {
    return (await request(`http://127.0.0.1:${this.ports.admin}${path}`)).json();
  }

  /** Its metrics. */
  async scrape(): Promise<string> {
    return (await request(`http://127.0.0.1:${this.ports.metrics}/metrics`)).text();
  }

  /** Bytes of resources that were sent to proxies, by the last part of their type. */
  async pushedBytes(): Promise<Readonly<Record<string, number>>> {
    const lines = (await this.scrape()).matchAll(/^gatewright_xds_push_bytes_total\{type="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...lines].map(([, type, bytes]) => [type, Number(bytes)]));
  }

  /** Waits until it has a snapshot; gives its id. */
  async ready(): Promise<string> {
    const id = async () => ((await this.json('/v1/summary')) as { snapshotVersion: string | null }).snapshotVersion;
    return await until('a control plane with a snapshot', async () => (await id()) ?? undefined, startMs);
  }

  /** Waits until it leads. */
  async leads(): Promise<void> {
    await until('the control plane to lead', () => this.isLeader(), startMs);
  }

  async isLeader(): Promise<boolean> {
    return (await this.json('/v1/summary')).leader.isLeader;
  }

  async identity(): Promise<string> {
    return (await this.json('/v1/summary')).leader.identity;
  }

  /** SIGTERM; gives the exit code. */
  terminate(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.#exited;
  }

  /** As a machine does that is paused: it does nothing, and does not know it. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  /** Goes on where it was frozen. */
  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
