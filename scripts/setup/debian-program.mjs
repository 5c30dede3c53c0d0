import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError, timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';

/**
 * Sees to it that a program is there: the user's own, else the one of the system's Debian package, unpacked and not installed. Only tests ask for
 * it, when they need it.
 * @param {object} program
 * @param {string} program.name as people call it
 * @param {string} program.path where it is: in a folder of its own
 * @param {string} program.variable the environment variable by which users name their own
 * @param {(made: string, folder: string) => Promise<void>} program.fetch puts it into the folder `made`, which becomes `folder`
 * @returns {Promise<string>} its path
 */
export async function ensureDebianProgram({ name, path, variable, fetch }) {
  if (existsSync(path)) return path;
  if (process.env[variable]) throw new SetupError(`${variable}: there is no ${path}`);
  const folder = dirname(path);
  await locked(join(dirname(folder), `.${name.toLowerCase()}.lock`), async () => {
    if (existsSync(path)) return;
    await timed(`fetching ${name}`, () => publish(folder, (made) => fetch(made, folder)));
  });
  return path;
}
