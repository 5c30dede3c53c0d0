import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crdDir } from '../../../scripts/paths.mjs';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import {
  DirectorySource,
  type DirectorySourceOptions,
  formatProblem,
  type LiveDirectory,
  ObjectValidator,
  type Problem,
} from '../../../src/sources/index.ts';
import { SourceRecorder } from '../../support/source-recorder.ts';

/** Of the standard channel; shared, for it is slow to make and keeps nothing of what it judges. */
export const validator = ObjectValidator.load([crdDir('standard')]);

/** A directory of its own, and a source that runs on it until the end of the test. */
export class DirectoryHarness implements AsyncDisposable {
  readonly directory: string;
  readonly recorder = new SourceRecorder();
  /** Every problem that was reported, in order, with paths from the directory on. */
  readonly reported: string[] = [];
  #source: DirectorySource | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopping = new AbortController();

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async create(files: Readonly<Record<string, string>> = {}): Promise<DirectoryHarness> {
    const harness = new DirectoryHarness(await mkdtemp(join(tmpdir(), 'gatewright-source-')));
    for (const [name, text] of Object.entries(files)) await harness.write(name, text);
    return harness;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(this.path(name)), { recursive: true });
    await writeFile(this.path(name), text);
  }

  /** As editors save: a new file takes the place of the old one in one step. */
  async replace(name: string, text: string): Promise<void> {
    const draft = this.path(`.${name.replaceAll('/', '-')}.draft`);
    await writeFile(draft, text);
    await rename(draft, this.path(name));
  }

  /** Gives the route `probe` of a file another host. That this is seen proves that what was written before was seen, too. */
  async seesProbe(file: string, hostname: string): Promise<void> {
    await this.write(file, route('probe', hostname));
    const isSeen = () => JSON.stringify(this.object('HTTPRoute default/probe')).includes(`"${hostname}"`);
    await this.recorder.until(`the probe on ${hostname}`, isSeen);
  }

  /** Runs a source until everything that exists is recorder. */
  async start(options: Partial<DirectorySourceOptions> = {}): Promise<this> {
    const report = (problem: Problem) => {
      this.reported.push(this.#short(problem));
      this.recorder.notify();
    };
    this.#source = new DirectorySource({
      path: this.directory,
      validator: await validator,
      onProblem: report,
      ...options,
    });
    this.#running = this.#source.run(this.recorder, this.#stopping.signal);
    let ended = false;
    this.#running
      .catch(() => undefined)
      .finally(() => {
        ended = true;
        this.recorder.notify();
      });
    await this.recorder.until('synced', () => ended || this.recorder.syncedKinds.includes('HTTPRoute'));
    if (ended) await this.#running;
    return this;
  }

  /** The running source's view for writers. */
  live(): LiveDirectory {
    const live = this.#source?.live;
    if (live === undefined) throw new Error('the source does not run');
    return live;
  }

  problems(): readonly string[] {
    return (this.#source?.problems() ?? []).map((problem) => this.#short(problem));
  }

  /** The object as it was last reported; throws when there is none. */
  object(id: string): KubernetesObject {
    const object = this.recorder.objects.get(id);
    if (object === undefined) throw new Error(`no ${id}; there are: ${[...this.recorder.objects.keys()].join(', ')}`);
    return object;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running.catch(() => undefined);
    await rm(this.directory, { recursive: true, force: true });
  }

  #short(problem: Problem): string {
    return formatProblem(problem).replaceAll(`${this.directory}/`, '');
  }
}

/** A route with what a test wants to vary. */
export const route = (
  name: string,
  hostname = 'shop.example',
  port = 80,
): string => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: ${name}
spec:
  parentRefs:
    - name: web
  hostnames:
    - ${hostname}
  rules:
    - backendRefs:
        - name: shop
          port: ${port}
`;
