import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './progress.mjs';
import { run } from './run.mjs';

/**
 * Makes new lists of the system's Debian packages: its own may be missing or old, and only root may fetch those.
 * @param {string} folder where they go
 * @returns {Promise<string[]>} options with which apt-get uses them
 */
export async function ownLists(folder) {
  for (const name of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, name), { recursive: true });
  const options = ['-o', `Dir::State::lists=${join(folder, 'lists')}`, '-o', `Dir::Cache=${join(folder, 'cache')}`];
  await run('apt-get', ['-qq', ...options, 'update']);
  return options;
}

/**
 * Unpacks a Debian package into `root` of a folder, with every package that an installation would add, and installs none: so the libraries of a
 * bare system do.
 * @param {string} made the folder
 * @param {string} name of the package
 * @param {{ more?: readonly string[], without: string }} options `more`: further packages; `without`: what to do where there is no apt-get
 */
export async function unpackWithLibraries(made, name, { more = [], without }) {
  const archives = join(made, 'archives');
  mkdirSync(archives);
  try {
    const lists = await ownLists(archives);
    const plan = await run('apt-get', [...lists, '-qq', '-s', '--no-install-recommends', 'install', name]);
    const packages = [...plan.matchAll(/^Inst (\S+) .*?\((\S+)/gm)].map(([, each, version]) => `${each}=${version}`);
    await run('apt-get', [...lists, '-qq', 'download', ...packages, ...more], { cwd: archives });
  } catch {
    throw new SetupError(`apt-get could not fetch the Debian package ${name} (see above); ${without}`);
  }
  for (const archive of readdirSync(archives).filter((each) => each.endsWith('.deb')))
    await run('dpkg-deb', ['-x', join(archives, archive), join(made, 'root')]);
  await run('rm', ['-r', archives]);
}

/**
 * Lines of a shell script that has a program of such a folder find its own libraries.
 * @param {string} root
 */
export const libraryPath = (root) => `root='${root}'
libraries=$(find "$root/usr/lib" -maxdepth 2 -type d \\( -name '*-linux-gnu' -o -path '*-linux-gnu/*' \\) 2>/dev/null | tr '\\n' ':')
export LD_LIBRARY_PATH="$libraries$LD_LIBRARY_PATH"`;
