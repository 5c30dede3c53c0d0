import { access, constants } from 'node:fs/promises';
import { CliError } from './cli-error.ts';

/** Rejects with a CliError for a path of the command line that is not there or cannot be read, before any work begins. */
export async function checkGivenPaths(paths: readonly string[], next: string): Promise<void> {
  for (const path of paths)
    await access(path, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
      const isThere = cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR';
      throw new CliError(`${path} ${isThere ? `cannot be read (${cause.code})` : 'does not exist'}: ${next}`, {
        cause,
      });
    });
}

/** What to do about a path of manifests. */
export const nameManifests = 'name a directory of YAML files, or one such file';
