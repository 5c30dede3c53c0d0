import { statSync } from 'node:fs';
import { type Environment, loadConfig } from '../src/config/index.ts';
import type { LevelSwitch, Logger, LogLevel } from '../src/telemetry/index.ts';

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
 * Heeds `log.level` of the configuration file while it is edited, so that nobody has to restart what they want to watch
 * closely. By looking at the file now and then: a mounted ConfigMap is a link that changes its target, of which watches
 * say nothing. Returns how to stop.
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
  let seen: string | undefined;
  const timer = setInterval(() => {
    const now = markOf(path);
    if (now === seen) return;
    seen = now;
    look();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** Differs when the file may say something else. */
function markOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? [found.ino, found.mtimeMs, found.size].join(' ') : 'gone';
}
