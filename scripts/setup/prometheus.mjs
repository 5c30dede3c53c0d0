import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prometheusPath } from '../paths.mjs';
import { ownLists } from './debian.mjs';
import { ensureDebianProgram } from './debian-program.mjs';
import { SetupError } from './progress.mjs';
import { run } from './run.mjs';

const PACKAGE = 'prometheus';
const WITHOUT = 'set PROMETHEUS_PATH to a Prometheus that you have';

/** @returns {Promise<string>} the path of a Prometheus */
export const ensurePrometheus = () =>
  ensureDebianProgram({ name: 'Prometheus', path: prometheusPath(), variable: 'PROMETHEUS_PATH', fetch: fetchPackage });

/** @param {string} folder where to put the binary */
async function fetchPackage(folder) {
  await download(folder).catch(() => {
    throw new SetupError(`apt-get could not fetch the Debian package ${PACKAGE} (see above); ${WITHOUT}`);
  });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  await run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'root')]);
  renameSync(join(folder, 'root/usr/bin/prometheus'), join(folder, 'prometheus'));
  for (const rest of readdirSync(folder).filter((name) => name !== 'prometheus'))
    rmSync(join(folder, rest), { recursive: true });
}

/**
 * With the system's lists of packages, else with new ones of our own: those may be missing, and only root may fetch them.
 * @param {string} folder
 */
async function download(folder) {
  try {
    await run('apt-get', ['-qq', 'download', PACKAGE], { cwd: folder, quiet: true });
  } catch {
    const own = await ownLists(folder);
    await run('apt-get', ['-qq', ...own, 'download', PACKAGE], { cwd: folder });
  }
}
