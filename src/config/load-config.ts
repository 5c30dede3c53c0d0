import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { configErrorOf } from './describe-issue.ts';
import { type ConfigDocument, parseConfigDocument } from './document.ts';
import type { Environment } from './environment.ts';
import { type Config, configSchema } from './schema/schema.ts';
import { findSessionKey, readSessionKey } from './session-key-file.ts';
import { readTokenFile } from './token-file.ts';

/**
 * The configuration of a process: the YAML file at `path`, or the defaults when there is none. `${NAME}` in a value
 * stands for an environment variable, which must not be empty. Relative paths in the file are relative to the file. The
 * node id of a data plane is SVC_GW_NODE_ID where that is set, else `dataplane.config.node_id`.
 *
 * Throws a ConfigError for every fault, a token or key file that is missing or cannot be used included.
 */
export function loadConfig(path: string | undefined, env: Environment): Config {
  const document = path === undefined ? noDocument : parseConfigDocument(path, readConfigFile(path), env);
  const parsed = configSchema.safeParse(document.values);
  if (!parsed.success) throw configErrorOf(parsed.error, document, configSchema);
  const config = settle(parsed.data, dirname(resolve(path ?? 'defaults')), env);
  checkTokenFile(config, document);
  checkSessionKeys(config, document);
  return config;
}

const noDocument: ConfigDocument = { file: 'defaults', values: {}, place: () => ({ line: 1, key: '' }) };

function readConfigFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(`${path}: cannot read the configuration file (${code}); check the path given by --config`, {
      cause,
    });
  }
}

function settle(config: Config, directory: string, env: Environment): Config {
  const { source, adminAuth, dataplane, sessionPersistence } = config;
  const absolute = (path: string): string => resolve(directory, path);
  const nodeId = env.SVC_GW_NODE_ID || dataplane.nodeId;
  return {
    ...config,
    source:
      source.kind === 'directory'
        ? { ...source, path: absolute(source.path) }
        : { ...source, ...(source.kubeconfig !== undefined && { kubeconfig: absolute(source.kubeconfig) }) },
    adminAuth: {
      ...adminAuth,
      ...(adminAuth.bearerTokenFile !== undefined && { bearerTokenFile: absolute(adminAuth.bearerTokenFile) }),
      ...(adminAuth.readOnlyBearerTokenFile !== undefined && {
        readOnlyBearerTokenFile: absolute(adminAuth.readOnlyBearerTokenFile),
      }),
    },
    dataplane: { ...dataplane, nodeId },
    sessionPersistence: {
      ...(sessionPersistence.secretKeyFile !== undefined && {
        secretKeyFile: absolute(sessionPersistence.secretKeyFile),
      }),
      ...(sessionPersistence.previousSecretKeyFile !== undefined && {
        previousSecretKeyFile: absolute(sessionPersistence.previousSecretKeyFile),
      }),
    },
  };
}

function checkTokenFile({ adminAuth }: Config, document: ConfigDocument): void {
  for (const name of ['bearerTokenFile', 'readOnlyBearerTokenFile'] as const) {
    const file = adminAuth[name];
    if (file === undefined) continue;
    atPlace(document, ['adminAuth', name], () => readTokenFile(file));
  }
}

function checkSessionKeys({ sessionPersistence }: Config, document: ConfigDocument): void {
  const { secretKeyFile, previousSecretKeyFile } = sessionPersistence;
  if (secretKeyFile === undefined && previousSecretKeyFile !== undefined)
    atPlace(document, ['sessionPersistence', 'previousSecretKeyFile'], () => {
      throw new ConfigError('a previous key needs a present one; set sessionPersistence.secretKeyFile too');
    });
  if (secretKeyFile !== undefined)
    atPlace(document, ['sessionPersistence', 'secretKeyFile'], () => readSessionKey(secretKeyFile));
  if (previousSecretKeyFile !== undefined)
    atPlace(document, ['sessionPersistence', 'previousSecretKeyFile'], () => findSessionKey(previousSecretKeyFile));
}

/** Says of a ConfigError where the key is that is behind it. */
function atPlace(document: ConfigDocument, path: readonly string[], check: () => unknown): void {
  try {
    check();
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    const { line, key } = document.place(path);
    throw new ConfigError(`${document.file}:${line}: ${key}: ${cause.message}`, { cause });
  }
}
