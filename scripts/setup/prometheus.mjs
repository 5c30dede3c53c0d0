import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { prometheusPath } from '../paths.mjs';
import { ownLists } from './debian.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { run } from './run.mjs';

const PACKAGE = 'prometheus';
const WITHOUT = 'set PROMETHEUS_PATH to a Prometheus that you have';

/**
 * Sees to it that a Prometheus is at `prometheusPath()`: the user's own, else the one of the system's Debian package, unpacked and not
 * installed. Only tests ask for it, when they need it.
 * @returns {Promise<string>} its path
 */
export async function ensurePrometheus() {
  const path = prometheusPath();
  if (existsSync(path)) return path;
  if (process.env.PROMETHEUS_PATH) throw new SetupError(`PROMETHEUS_PATH: there is no ${path}`);
  const folder = dirname(path);
  await locked(join(dirname(folder), '.prometheus.lock'), async () => {
    if (existsSync(path)) return;
    await timed('fetching Prometheus', () => publish(folder, fetchPackage));
  });
  return path;
}

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
