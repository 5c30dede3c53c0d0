import { copyFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonCrdDir, root } from '../paths.mjs';

/** Machines for which there is a package with a Node; elsewhere the machine's own must be new enough. */
const machines = ['linux-x64', 'linux-arm64'];

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/**
 * Makes a bundle one that npm installs: with a launcher, the Node that it is tested with, and the Gateway API's definitions, which `validate` and `run`
 * need and nothing on the machine may have.
 */
export async function completePackage(directory: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(installable(manifest), undefined, 2)}\n`);
  for (const file of ['LICENSE', 'README.md', 'bin/launch.mjs'])
    await copyFile(join(root, file), join(directory, file));
  await cp(jsonCrdDir(), join(directory, 'crds/gateway-api'), { recursive: true });
}

function installable({ devDependencies, ...manifest }: Manifest) {
  const { name, version, description, license, type, bin, engines } = manifest;
  const nodes = machines.map((machine) => [`node-${machine}`, devDependencies.node]);
  return { name, version, description, license, type, bin, engines, optionalDependencies: Object.fromEntries(nodes) };
}
