import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { helmPath, kubernetesDir, root } from '../../../scripts/paths.mjs';
import type { Endings } from '../endings.ts';
import { programFile } from '../program.ts';

/** Parts of the repository that commands of pages name. */
const parts = ['charts', 'crds', 'examples', 'manifests', 'overlays', 'rbac', 'scripts/versions.env'];

export interface ReaderFolder {
  readonly directory: string;
  /** With `gatewright`, `kubectl` and `helm` in PATH, and nothing of the user's. */
  readonly env: NodeJS.ProcessEnv;
}

/** A folder as a reader has it: a copy of the repository's parts, and the programs that pages name. */
export function readerFolder(ends: Endings): ReaderFolder {
  const place = mkdtempSync(join(tmpdir(), 'gatewright-reader-'));
  ends.teardown(() => rmSync(place, { recursive: true, force: true }));
  const [directory, programs] = [join(place, 'clone'), join(place, 'bin')];
  for (const folder of [directory, programs]) mkdirSync(folder);
  for (const part of parts) cpSync(join(root, part), join(directory, part), { recursive: true });
  const launch = (name: string, command: string) => {
    writeFileSync(join(programs, name), `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(join(programs, name), 0o755);
  };
  launch('gatewright', `'${process.execPath}' '${programFile}'`);
  const kubectl = `'${join(kubernetesDir(), 'kubectl')}'`;
  // Nothing waits for what controllers of a cluster would finish: there are none.
  launch('kubectl', `sh -c 'case $1 in delete) exec "$0" "$@" --wait=false;; esac; exec "$0" "$@"' ${kubectl}`);
  launch('helm', `'${helmPath()}'`);
  const home = { HELM_CACHE_HOME: place, HELM_CONFIG_HOME: place, HELM_DATA_HOME: place, KUBECACHEDIR: place };
  const env = { ...process.env, ...home, HELM_NO_PLUGINS: '1', PATH: [programs, process.env.PATH].join(delimiter) };
  return { directory, env };
}
