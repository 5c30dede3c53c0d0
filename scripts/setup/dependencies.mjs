import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked } from './publish.mjs';
import { run } from './run.mjs';

const NODE_MAJOR = 24;

/** The Node that runs our TypeScript. */
export const nodePath = join(root, 'node_modules/.bin/node');

/** Installs what package-lock.json lists, unless just that is installed. */
export async function ensureDependencies() {
  if (isInstalled()) return;
  await locked(join(root, '.setup.lock'), async () => {
    if (isInstalled()) return;
    // Not `npm ci`: it fails on a lock file that does not list the optional packages of every platform, and a registry
    // need not carry all of those. What is listed is installed by version and digest all the same.
    await timed('installing npm packages', () =>
      run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root }),
    );
    await checkNode();
  });
}

/**
 * npm notes what it installed in a lock file of its own, at the end. Packages for other platforms are missing there.
 */
function isInstalled() {
  const installedFile = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installedFile) || !existsSync(nodePath)) return false;
  const installed = readPackages(installedFile);
  return Object.entries(readPackages(join(root, 'package-lock.json'))).every(
    ([path, { version, integrity, optional, peer }]) =>
      path === '' ||
      (installed[path]
        ? installed[path].version === version && installed[path].integrity === integrity
        : optional || peer),
  );
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version: string, integrity?: string, optional?: boolean, peer?: boolean }>}
 */
const readPackages = (lockFile) => JSON.parse(readFileSync(lockFile, 'utf8')).packages;

/** An install script of the package `node` fetches its binary, and a user's npm may be configured not to run such scripts. */
async function checkNode() {
  const version = await run(nodePath, ['--version']).catch(() => 'missing');
  if (version.startsWith(`v${NODE_MAJOR}.`)) return;
  throw new SetupError(
    `node_modules/.bin/node is ${version.trim()}, not ${NODE_MAJOR}: does your npm configuration forbid install scripts ` +
      '(ignore-scripts)? Allow them for the package "node": npm rebuild node --ignore-scripts=false',
  );
}
