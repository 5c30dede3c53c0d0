import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { jsonCrdDir, ownCrdDir } from '../../scripts/paths.mjs';
import { ObjectMaker } from '../../test/support/fuzz/small-world.ts';
import { type Running, startProgram } from '../../test/support/program.ts';
import { gatewayObjects } from '../../test/support/standalone.ts';
import { validatorOf } from '../../test/support/validator.ts';
import type { AnyObject } from '../../test/support/world.ts';
import type { FuzzOptions, FuzzResult } from './fuzz-part.ts';
import { type Stage, turmoil, untilServed } from './live.ts';
import { logFaults } from './log-faults.ts';

interface Problems {
  readonly total: number;
  readonly items: readonly { readonly object: { readonly kind: string; readonly name: string } }[];
}

/** `gatewright run` over a directory of its own. */
class Folder {
  readonly directory: string;
  readonly ports: readonly number[];
  readonly #config: string;
  #program: Running;

  private constructor(directory: string, ports: readonly number[]) {
    this.directory = directory;
    this.ports = ports;
    const [traffic = 0, xds, admin, layout2, metrics, agent] = ports;
    const at = (port: number | undefined) => `127.0.0.1:${port}`;
    mkdirSync(join(directory, 'objects'));
    this.#config = join(directory, 'config.json');
    const config = {
      xds: { listen: at(xds) },
      admin: { listen: at(admin), layout2Listen: at(layout2) },
      metrics: { listen: at(metrics) },
      dataplane: { adminListen: at(agent) },
      adminAuth: { requestsPerSecond: 0 },
      state: { directory: join(directory, 'state') },
      log: { level: 'warn' },
    };
    writeFileSync(this.#config, JSON.stringify(config));
    const objects = gatewayObjects(traffic) as { kind: string; spec: object }[];
    const open = objects.map((one) => (one.kind === 'Gateway' ? opened(one) : one));
    this.write('gateway', open.map((object) => stringify(object)).join('---\n'));
    this.#program = this.#start();
  }

  static async start(): Promise<Folder> {
    const ports = await Promise.all(Array.from({ length: 12 }, () => freePort()));
    return new Folder(mkdtempSync(join(tmpdir(), 'gatewright-fuzz-')), ports);
  }

  #start(): Running {
    return startProgram(['run', '-f', join(this.directory, 'objects'), '--config', this.#config]);
  }

  get output(): string {
    const { stdout, stderr } = this.#program.output;
    return stdout + stderr;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.directory, 'objects', `${name}.yaml`), text);
  }

  remove(name: string): void {
    rmSync(join(this.directory, 'objects', `${name}.yaml`), { force: true });
  }

  /** Throws what it said last where it does not answer. */
  async json<T>(path: string): Promise<T> {
    return await this.#json<T>(path).catch((error: Error) => {
      throw new Error(`the program does not answer (${error.message}): ${this.output.slice(-3_000)}`);
    });
  }

  async #json<T>(path: string): Promise<T> {
    return (await (await fetch(`http://127.0.0.1:${this.ports[2]}${path}`)).json()) as T;
  }

  /** Names of the files that something is wrong with. */
  async badFiles(): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for (let offset = 0; ; offset += 500) {
      const { total, items } = await this.json<Problems>(`/v1/problems?limit=500&offset=${offset}`);
      for (const { object } of items) if (object.kind === 'File') names.add(object.name);
      if (offset + 500 >= total) return names;
    }
  }

  async end(): Promise<void> {
    this.#program.kill('SIGTERM');
    await this.#program.ended;
  }

  async restart(): Promise<void> {
    await this.end();
    this.#program = this.#start();
  }

  async stop(): Promise<void> {
    await this.end();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const opened = <T extends { spec: object }>(gateway: T): T => ({
  ...gateway,
  spec: {
    ...gateway.spec,
    allowedListeners: { namespaces: { from: 'All' } },
    listeners: (gateway.spec as { listeners: object[] }).listeners.map((one) => ({
      ...one,
      allowedRoutes: { namespaces: { from: 'All' } },
    })),
  },
});

const fileOf = ({ kind, metadata }: AnyObject): string =>
  `o-${createHash('sha256')
    .update(JSON.stringify([kind, metadata?.namespace ?? 'default', metadata?.name]))
    .digest('hex')
    .slice(0, 16)}`;

/** What the program says of a directory of good and bad objects, and whether another route of its Gateway feels them. */
export async function fuzzFiles(options: FuzzOptions): Promise<FuzzResult> {
  const maker = await ObjectMaker.load();
  const validator = await validatorOf([jsonCrdDir(), ownCrdDir]);
  const folder = await Folder.start();
  const bad = new Set<string>();
  const stage: Stage = {
    door: { address: '127.0.0.1', port: folder.ports[0] ?? 0 },
    async put(object) {
      const file = fileOf(object);
      const { result } = validator.validate(object);
      if (result === 'invalid' || result === 'unidentified') bad.add(file);
      else bad.delete(file);
      folder.write(file, stringify(object));
      return true;
    },
    async remove(object) {
      folder.remove(fileOf(object));
      bad.delete(fileOf(object));
    },
    async faults() {
      const named = [...(await folder.badFiles())];
      const unnamed = [...bad].filter((file) => !named.some((name) => name.includes(file)));
      return unnamed.map((file) => `${join(folder.directory, 'objects', file)}.yaml is bad and no problem`);
    },
  };
  const { faults: seen, ...figures } = await turmoil(stage, maker, { ...options, ports: folder.ports.slice(6) });
  const faults = [...seen, ...logFaults(folder.output)];
  // Ages are those of files, and a former version of an object that turned bad is gone: only that it serves again can be asked.
  await folder.restart();
  await untilServed(stage.door);
  faults.push(...logFaults(folder.output));
  if (faults.length > 0) await folder.end();
  else await folder.stop();
  return { ...figures, badObjects: bad.size, faults };
}
