import { isDeepStrictEqual } from 'node:util';
import type { DataPlaneAgent } from '../../agent/index.ts';
import { type Config, type Environment, loadConfig } from '../../config/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { followFile } from '../process/index.ts';
import { findEnvoy } from './find-envoy.ts';

export interface FollowEnvoySettingsOptions {
  /** Of the configuration file; without one nothing is followed. */
  readonly path: string | undefined;
  readonly config: Config;
  readonly env: Environment;
  readonly agent: Pick<DataPlaneAgent, 'upgrade'>;
  readonly logger: Logger;
  /** How often the file is looked at. Milliseconds. */
  readonly everyMs?: number;
}

/** What of the configuration an Envoy that takes over can have otherwise. */
export const envoySettings = ({ dataplane }: Config, env: Environment) => ({
  envoyPath: dataplane.envoyPath ?? findEnvoy(env),
  bootstrap: dataplane.bootstrap,
  logLevel: dataplane.logLevel,
  drainTimeMs: dataplane.drainTimeMs,
});

/** Applies Envoy's settings in the configuration file when they change: another Envoy takes over. Returns how to stop. */
export function followEnvoySettings(options: FollowEnvoySettingsOptions): () => void {
  const { path, config, env, agent, everyMs = 5_000 } = options;
  if (path === undefined) return () => {};
  const logger = options.logger.child({ component: 'config' });
  let current = envoySettings(config, env);
  const look = () => {
    try {
      const next = envoySettings(loadConfig(path, env), env);
      if (isDeepStrictEqual(next, current)) return;
      current = next;
      logger.info('settings of Envoy have changed; another one takes over');
      void agent.upgrade(next);
    } catch {
      // Said by who follows the log level.
    }
  };
  return followFile(path, look, everyMs);
}
