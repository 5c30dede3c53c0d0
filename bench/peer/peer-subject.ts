import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { endChild, killChild, pidOf, startChild } from '../support/children.ts';
import { type ProcessFigures, processesOf } from '../support/processes.ts';
import type { RouteProbe } from '../support/route-probe.ts';
import type { Subject } from './subject.ts';

/** A peer's program, and a file or folder of its resource definitions where it has some. */
export interface Built {
  readonly program: string;
  readonly definitions?: string;
  readonly version: string;
}

/** A program with its parameters and what its environment has besides. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export interface PeerParts extends Pick<Subject, 'name' | 'version' | 'gateway' | 'user' | 'xdsPort'> {
  readonly probe: RouteProbe;
  /** Where its processes run, and their output goes. */
  readonly folder: string;
  readonly controlPlane: Command;
  /** None where the control plane is the proxy too. */
  readonly proxies: readonly Command[];
}

/** A peer's control plane and its proxies, as processes. */
export class PeerSubject implements Subject {
  readonly name: string;
  readonly version: string;
  readonly gateway: string;
  readonly user: string;
  readonly xdsPort: number | undefined;
  readonly probe: RouteProbe;
  readonly #parts: PeerParts;
  #controlPlane: ChildProcess | undefined;
  #proxies: readonly ChildProcess[] = [];

  constructor(parts: PeerParts) {
    this.name = parts.name;
    this.version = parts.version;
    this.gateway = parts.gateway;
    this.user = parts.user;
    this.xdsPort = parts.xdsPort;
    this.probe = parts.probe;
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.#startControlPlane();
    // In a session of their own, as our agent starts its Envoy.
    this.#proxies = await Promise.all(this.#parts.proxies.map((command) => this.#run('proxy', command, true)));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#controlPlane, ...this.#proxies].map(endChild));
  }

  async crash(): Promise<void> {
    await killChild(this.#controlPlane);
    await this.#startControlPlane();
  }

  async processes() {
    const [controlPlane] = await processesOf(pidOf(this.#controlPlane, this.name, this.#log('control-plane')));
    if (!controlPlane) throw new Error(`${this.name} ended while it was looked at`);
    return { controlPlane, proxy: await this.#proxy() };
  }

  /** The first proxy's. */
  async #proxy(): Promise<ProcessFigures[]> {
    if (this.#parts.proxies.length === 0) return [];
    return await processesOf(pidOf(this.#proxies[0], `the proxy of ${this.name}`, this.#log('proxy')));
  }

  async #startControlPlane(): Promise<void> {
    this.#controlPlane = await this.#run('control-plane', this.#parts.controlPlane);
  }

  #run(what: string, { program, args, env = {} }: Command, detached = false): Promise<ChildProcess> {
    return startChild(program, args, { log: this.#log(what), env, detached, cwd: this.#parts.folder });
  }

  #log(what: string): string {
    return join(this.#parts.folder, `${what}.log`);
  }
}
