import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endChild, killChild, startChild } from '../support/children.ts';

interface Place {
  /** Where `app` is the bundled program. */
  readonly folder: string;
  /** Of each start. */
  readonly env?: NodeJS.ProcessEnv;
  /** Started again when it ends by itself, as a kubelet does. */
  readonly restarts?: boolean;
}

const restartMs = 1_000;

/** One process of ours with a configuration of its own, which is killed and started again. */
export class OwnProcess {
  readonly name: string;
  readonly #folder: string;
  readonly #role: 'control-plane' | 'data-plane';
  readonly #env: NodeJS.ProcessEnv;
  readonly #restarts: boolean;
  /** How often it ended by itself. */
  ends = 0;
  /** Cleared before it is ended on purpose. */
  #isWanted = false;
  #child: ChildProcess | undefined;

  private constructor(
    name: string,
    role: 'control-plane' | 'data-plane',
    { folder, env = {}, restarts = false }: Place,
  ) {
    this.name = name;
    this.#folder = folder;
    this.#role = role;
    this.#env = env;
    this.#restarts = restarts;
  }

  static async prepare(
    name: string,
    role: 'control-plane' | 'data-plane',
    { config, ...place }: Place & { readonly config: object },
  ): Promise<OwnProcess> {
    await writeFile(join(place.folder, `${name}.json`), JSON.stringify(config));
    return new OwnProcess(name, role, place);
  }

  get log(): string {
    return join(this.#folder, `${this.name}.log`);
  }

  get pid(): number | undefined {
    return this.#child?.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }

  /** `env`: this time only. `program`: the one of the folder, unless it is given. */
  async start(env: NodeJS.ProcessEnv = {}, program = join(this.#folder, 'app/bin/gatewright.js')): Promise<void> {
    const args = [program, this.#role, '--config', join(this.#folder, `${this.name}.json`)];
    const all = { ...this.#env, ...env, SVC_GW_NODE_ID: this.name };
    this.#isWanted = true;
    const child = await startChild(process.execPath, args, { log: this.log, env: all });
    this.#child = child;
    child.once('exit', () => {
      if (!this.#restarts || !this.#isWanted) return;
      this.ends += 1;
      setTimeout(() => this.#isWanted && this.#child === child && void this.start(env, program), restartMs);
    });
  }

  async kill(): Promise<void> {
    this.#isWanted = false;
    await killChild(this.#child);
  }

  async end(): Promise<void> {
    this.#isWanted = false;
    this.#child?.kill('SIGCONT');
    await endChild(this.#child);
  }

  /** As a machine that is paused: it does nothing, and does not know it. */
  async freeze(ms: number): Promise<void> {
    this.#child?.kill('SIGSTOP');
    await delay(ms);
    this.#child?.kill('SIGCONT');
  }
}
