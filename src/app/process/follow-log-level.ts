import { type Environment, loadConfig } from '../../config/index.ts';
import type { LevelSwitch, Logger, LogLevel } from '../../telemetry/index.ts';
import { followFile } from './follow-file.ts';

export interface FollowLogLevelOptions {
  /** Of the configuration file; without one nothing is followed. */
  readonly path: string | undefined;
  readonly level: LogLevel;
  readonly env: Environment;
  readonly levels: LevelSwitch;
  readonly logger: Logger;
  /** How often the file is looked at. Milliseconds. */
  readonly everyMs?: number;
}

/**
 * Applies `log.level` of the configuration file when it changes, so that watching more closely needs no restart.
 * Returns how to stop.
 */
export function followLogLevel({
  path,
  level,
  env,
  levels,
  logger,
  everyMs = 5_000,
}: FollowLogLevelOptions): () => void {
  if (path === undefined) return () => {};
  const log = logger.child({ component: 'config' });
  let current = level;
  const look = () => {
    try {
      const next = loadConfig(path, env).log.level;
      if (next === current) return;
      // Said whatever the two levels are.
      levels.set('info');
      log.info({ from: current, to: next }, 'log level changed');
      levels.set(next);
      current = next;
    } catch (error) {
      log.warn(`the configuration file changed and is not usable: ${(error as Error).message}`);
    }
  };
  return followFile(path, look, everyMs);
}
