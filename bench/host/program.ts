import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { bundle } from '../../scripts/bundle.ts';
import { root } from '../../scripts/paths.mjs';
import { pidOf, startChild } from '../support/children.ts';
import { type ProcessFigures, processesOf } from '../support/processes.ts';

export type Role = 'control-plane' | 'data-plane';

/** Our program as an image has it: one bundle, run by this Node, with the flags that the manifests set. */
export class Program {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bundles into the folder, and writes the configuration there. */
  static async prepare(folder: string, config: object): Promise<Program> {
    await mkdir(join(folder, 'run'), { recursive: true });
    await bundle(join(folder, 'app'));
    await writeFile(join(folder, 'run/config.json'), JSON.stringify(config));
    return new Program(folder);
  }

  /** One more configuration, for a program that is started by its name. */
  async addConfig(name: string, config: object): Promise<void> {
    await writeFile(join(this.#folder, `run/${name}.json`), JSON.stringify(config));
  }

  /** `config`: the one that it was prepared with when left out. `node`: of a data plane. */
  async start(role: Role, { config = 'config', node = 'bench-0' } = {}): Promise<ChildProcess> {
    const args = [
      join(this.#folder, 'app/bin/gatewright.js'),
      role,
      '--config',
      join(this.#folder, `run/${config}.json`),
    ];
    const env = role === 'control-plane' ? await processOptions() : { SVC_GW_NODE_ID: node };
    return startChild(process.execPath, args, { log: this.#log(role), env });
  }

  /** What its process, and those it started, take; throws when it has ended, and says where its log is. */
  async figuresOf(role: Role, child: ChildProcess | undefined): Promise<ProcessFigures[]> {
    return await processesOf(pidOf(child, `the ${role}`, this.#log(role)));
  }

  #log(role: Role): string {
    return join(this.#folder, `${role}.log`);
  }
}

/** What the manifests set for the control plane's Node, and for its memory. */
export async function processOptions(): Promise<Record<string, string>> {
  const deployment = parse(await readFile(join(root, 'manifests/30-control-plane.yaml'), 'utf8'));
  const env: readonly { readonly name: string; readonly value: string }[] =
    deployment.spec.template.spec.containers[0].env;
  const taken = env.filter(({ name }) => name === 'NODE_OPTIONS' || name === 'MALLOC_ARENA_MAX');
  return Object.fromEntries(taken.map(({ name, value }) => [name, value]));
}
