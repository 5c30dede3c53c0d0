import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { Config } from '../../config/index.ts';

/**
 * Where `gatewright run` keeps what outlives it: as configured, else one directory for each directory of resources, in the place that
 * the system has for such things. Source: XDG Base Directory Specification, `XDG_STATE_HOME`.
 */
export function stateDirectory({ state }: Pick<Config, 'state'>, resources: string, env: NodeJS.ProcessEnv): string {
  if (state.directory !== undefined) return state.directory;
  const home = env.XDG_STATE_HOME || join(homedir(), '.local/state');
  const path = realpathSync(resources);
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return join(home, 'gatewright', `${basename(path)}-${digest}`);
}
