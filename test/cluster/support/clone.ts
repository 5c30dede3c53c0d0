import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crdDir, helmPath, kubernetesDir, root } from '../../../scripts/paths.mjs';
import type { Endings } from '../../support/endings.ts';
import type { Cluster } from './cluster.ts';
import { shell } from './shell.ts';

/** What commands of the installation read. */
const parts = ['manifests', 'overlays', 'charts', 'crds', 'rbac', 'scripts/versions.env'];

/** A copy of this clone in which a user runs commands: they may write files there, and git has nothing to say of it. */
export class Clone {
  readonly directory: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #placeholders: ReadonlyMap<string, string>;

  /** `placeholders`: words of the pages that are to be replaced, and by what. */
  constructor(t: Endings, { kubeconfig }: Cluster, placeholders: Readonly<Record<string, string>>) {
    this.directory = mkdtempSync(join(tmpdir(), 'gatewright-clone-'));
    t.teardown(() => rmSync(this.directory, { recursive: true, force: true }));
    for (const part of parts) cpSync(join(root, part), join(this.directory, part), { recursive: true });
    const programs = this.#programs();
    this.#env = {
      KUBECONFIG: kubeconfig,
      PATH: `${programs}:${process.env.PATH}`,
      DEFINITIONS: join(dirname(crdDir('standard')), 'standard'),
    };
    this.#placeholders = new Map(Object.entries(placeholders));
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.directory, file)), { recursive: true });
    writeFileSync(join(this.directory, file), this.#replaced(text));
  }

  /** Runs commands as they are written; rejects when one of them fails. */
  run(commands: string): Promise<string> {
    const script = `cd ${this.directory}\n${this.#replaced(commands)}`;
    return shell('bash', ['-euo', 'pipefail', '-c', script], { env: this.#env });
  }

  #replaced(text: string): string {
    return [...this.#placeholders].reduce((now, [word, value]) => now.replaceAll(word, value), text);
  }

  #programs(): string {
    const folder = join(this.directory, 'programs');
    mkdirSync(folder);
    symlinkSync(join(kubernetesDir(), 'kubectl'), join(folder, 'kubectl'));
    symlinkSync(helmPath(), join(folder, 'helm'));
    symlinkSync(join(root, 'bin/launch.mjs'), join(folder, 'gatewright'));
    // There is no registry, and the image is in the cluster already, under the name that would be pushed.
    writeFileSync(join(folder, 'docker'), '#!/bin/sh\n');
    chmodSync(join(folder, 'docker'), 0o755);
    return folder;
  }
}
