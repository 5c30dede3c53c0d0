import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ConfigError } from '../../config/index.ts';

/** The Envoy that is written for and fetched by set-up. */
const envoyVersion = '1.40.0';

/**
 * Path of the Envoy binary: $ENVOY_PATH, else the one that lies beside our executable (an archive of a release has both), else what set-up fetched, else the
 * first on PATH.
 */
export function findEnvoy(env: NodeJS.ProcessEnv, executable = process.execPath): string {
  if (env.ENVOY_PATH) {
    if (isExecutable(env.ENVOY_PATH)) return env.ENVOY_PATH;
    throw new ConfigError(
      `ENVOY_PATH is ${env.ENVOY_PATH}, which is not an executable file: set it to an Envoy ${envoyVersion} binary`,
    );
  }
  const cache = env.GATEWRIGHT_CACHE ?? join(homedir(), '.cache', 'gatewright');
  const candidates = [
    join(dirname(executable), 'envoy'),
    join(cache, 'envoy', envoyVersion, 'envoy'),
    ...(env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'envoy')),
  ];
  const found = candidates.find(isExecutable);
  if (found) return found;
  throw new ConfigError(`no Envoy found: set ENVOY_PATH to an Envoy ${envoyVersion} binary, or put one on PATH`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
