import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DirectoryResourceStore, type ResourceStore } from '../../admin/index.ts';
import { ConfigError, isLoopback } from '../../config/index.ts';
import { kindsRead } from '../../gateway-api/index.ts';
import { DirectorySource, formatProblem, ObjectValidator, type Source } from '../../sources/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import {
  type AddOnsPlace,
  type BuildIngresses,
  type Context,
  createMetrics,
  type KeysPlace,
  loadIngresses,
  optIns,
  type StatusSink,
} from '../control-plane/index.ts';
import { findDefinitions, type ServeParts } from '../process/index.ts';
import { logStatus } from './log-status.ts';
import { stateDirectory } from './state-directory.ts';

/** What a control plane over a directory has in place of a cluster. */
export interface OpenDirectory {
  readonly context: Context;
  readonly source: Source;
  readonly resources: ResourceStore;
  readonly statuses: StatusSink;
  readonly place: AddOnsPlace;
  readonly keys: KeysPlace;
  readonly moduleCache: string;
  readonly ingresses: BuildIngresses | undefined;
}

/** Opens the directory (or single file) `path`, and judges what it holds by `validator`. Rejects with ConfigError when there is none. */
export async function openDirectory(
  { config, logger, version, env }: ServeParts,
  { path, validator: given }: { readonly path: string; readonly validator?: ObjectValidator | undefined },
): Promise<OpenDirectory> {
  if (!existsSync(path))
    throw new ConfigError(`${path} does not exist: name a directory of YAML files, or one such file`);
  const sourceLog = componentLogger(logger, 'source');
  const read = kindsRead(...optIns(config));
  const validator = given?.reading(read) ?? (await ObjectValidator.load(findDefinitions(env), read));
  const source = new DirectorySource({
    path,
    validator,
    onProblem: (problem) => sourceLog.error(formatProblem(problem)),
  });
  const state = stateDirectory(config, path, env);
  return {
    context: { config, logger, version, metrics: createMetrics(), definitions: () => findDefinitions(env) },
    source,
    resources: new DirectoryResourceStore({ source, validator, directory: resolve(path) }),
    statuses: logStatus(componentLogger(logger, 'status')),
    ingresses: await loadIngresses(config),
    keys: { file: join(state, 'fetched-keys.json'), loginKey: join(state, 'login-key') },
    moduleCache: join(state, 'modules'),
    place: {
      settings: { directory: state },
      usageFile: join(state, 'ai-usage.sqlite'),
      // When only programs of this machine can use the admin API, they reach its servers anyway.
      allowLoopback: config.outgoing.allowLoopback ?? isLoopback(config.admin.listen.host),
    },
  };
}
