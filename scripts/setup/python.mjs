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

/** @param {string} archive @param {string} folder */
export const unzip = (archive, folder) => run('python3', ['-m', 'zipfile', '-e', archive, folder]);
