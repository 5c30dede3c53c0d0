import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../paths.mjs';

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
}

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** Below the repository. There is no such folder for an optional package of another kind of machine. */
  readonly path: string;
}

const folder = 'node_modules/';

/** The npm packages that the program may load, by the lock file, in the order of their paths. */
export async function shippedPackages(): Promise<readonly ShippedPackage[]> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(packages)
    .filter(([path, { dev }]) => path.startsWith(folder) && dev !== true)
    .map(([path, { version = '' }]) => ({ name: path.slice(path.lastIndexOf(folder) + folder.length), version, path }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
