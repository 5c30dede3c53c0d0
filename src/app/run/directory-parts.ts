import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FileSettings } from '../../addons/settings/index.ts';
import { DirectoryResourceStore } from '../../admin/index.ts';
import { ConfigError } from '../../config/index.ts';
import { DirectorySource, formatProblem, ObjectValidator } from '../../sources/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { ControlPlaneOptions } from '../control-plane/control-plane.ts';
import { createMetrics } from '../metrics.ts';
import { findDefinitions, type ServeParts } from '../process/index.ts';
import { logStatus } from './log-status.ts';
import { stateDirectory } from './state-directory.ts';

/** What a control plane over the directory (or single file) `path` has in place of a cluster. Rejects with ConfigError when there is none. */
export async function directoryParts(
  { config, logger, version, env }: ServeParts,
  path: string,
): Promise<Omit<ControlPlaneOptions, 'bind' | 'createProxies' | 'allowLoopback'>> {
  if (!existsSync(path))
    throw new ConfigError(`${path} does not exist: name a directory of YAML files, or one such file`);
  const sourceLog = componentLogger(logger, 'source');
  const validator = await ObjectValidator.load(findDefinitions(env));
  const onProblem: ConstructorParameters<typeof DirectorySource>[0]['onProblem'] = (problem) =>
    sourceLog.error(formatProblem(problem));
  const source = new DirectorySource({ path, validator, onProblem });
  const state = stateDirectory(config, path, env);
  return {
    config,
    logger,
    version,
    metrics: createMetrics(),
    source,
    resources: new DirectoryResourceStore({ source, validator }),
    settings: new FileSettings(state),
    usageFile: join(state, 'ai-usage.sqlite'),
    createStatusSink: () => ({ wish: logStatus(componentLogger(logger, 'status')) }),
  };
}
