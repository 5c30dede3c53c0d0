import { type Config, ConfigError, loadConfig } from '../../config/index.ts';
import { createLogger, LevelSwitch, type Logger } from '../../telemetry/index.ts';
import { followLogLevel } from './follow-log-level.ts';
import { trimHeap } from './trim-heap.ts';
import { version } from './version.ts';

/** What every command that serves is started with. */
export interface ServeParts {
  readonly config: Config;
  /** Of the configuration file, if there is one. */
  readonly configPath?: string | undefined;
  readonly logger: Logger;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Service {
  stop(): Promise<unknown>;
  /** Resolves when the service ends by itself; rejects with the cause. */
  readonly ended?: Promise<unknown>;
}

/**
 * Loads the configuration, starts a service and keeps it until SIGINT or SIGTERM, then stops it in order; a second
 * signal ends the process at once. An error at the start that an operator can fix is one line on standard error, and exit code 1.
 */
export async function serve(
  configPath: string | undefined,
  start: (parts: ServeParts) => Promise<Service>,
): Promise<void> {
  try {
    const config = loadConfig(configPath, process.env);
    const format = configPath === undefined && process.stdout.isTTY ? 'pretty' : config.log.format;
    const levels = new LevelSwitch();
    const logger = createLogger({ level: config.log.level, format, levels });
    const unfollow = followLogLevel({ path: configPath, level: config.log.level, env: process.env, levels, logger });
    trimHeap();
    const service = await start({ config, configPath, logger, version, env: process.env });
    const stop = onSignal((signal) => logger.info({ component: 'main', signal }, 'stopping'));
    try {
      await Promise.race([stop, endOf(service)]);
    } finally {
      unfollow();
      await service.stop();
    }
    process.exit(0);
  } catch (error) {
    process.stderr.write(`gatewright: ${describe(error)}\n`);
    process.exit(1);
  }
}

const endOf = (service: Service): Promise<unknown> => service.ended ?? new Promise(() => {});

function onSignal(notify: (signal: string) => void): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        notify(signal);
        resolve();
        for (const again of ['SIGINT', 'SIGTERM'] as const) process.on(again, () => process.exit(130));
      });
    }
  });
}

/** Faults that an operator can fix are one complete line; any other error is a bug of ours, and is printed with its stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const mendable = error instanceof ConfigError || 'code' in error;
  return mendable ? error.message : (error.stack ?? error.message);
}
