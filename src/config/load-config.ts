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
  // Once for a process: to compile the schema first would take twice as long.
  const parsed = configSchema.safeParse(document.values, { jitless: true });
  if (!parsed.success) throw configErrorOf(parsed.error, document, configSchema);
  const config = resolvePaths(parsed.data, dirname(resolve(path ?? 'defaults')), env);
  checkTokenFiles(config, document);
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

function resolvePaths(config: Config, directory: string, env: Environment): Config {
  const { source, dataplane, state } = config;
  const absolute = (path: string): string => resolve(directory, path);
  const nodeId = env.SVC_GW_NODE_ID || dataplane.nodeId;
  return {
    ...config,
    source:
      source.kind === 'directory'
        ? { ...source, path: absolute(source.path) }
        : { ...source, ...(source.kubeconfig !== undefined && { kubeconfig: absolute(source.kubeconfig) }) },
    adminAuth: withFiles(config.adminAuth, absolute),
    xds: { ...config.xds, tls: withFiles(config.xds.tls, absolute) },
    dataplane: dataPlane(config.dataplane, absolute, nodeId),
    sessionPersistence: withFiles(config.sessionPersistence, absolute),
    state: { ...state, ...(state.directory !== undefined && { directory: absolute(state.directory) }) },
    rateLimits: rateLimitsOf(config.rateLimits, absolute),
    metricsBackend: withFiles(config.metricsBackend, absolute),
    chatbot: withFiles(config.chatbot, absolute),
    tracing: withFiles(config.tracing, absolute),
    aiSpans: withFiles(config.aiSpans, absolute),
  };
}

function dataPlane(section: Config['dataplane'], absolute: (path: string) => string, nodeId: string | undefined) {
  const { directory } = section.cache;
  const cache = {
    ...withFiles(section.cache, absolute),
    ...(directory !== undefined && { directory: absolute(directory) }),
  };
  const [tls, adminAuth] = [withFiles(section.tls, absolute), withFiles(section.adminAuth, absolute)];
  return { ...withFiles(section, absolute), tls, adminAuth, cache, nodeId };
}

const rateLimitsOf = ({ valkey, ...others }: Config['rateLimits'], absolute: (path: string) => string) => ({
  ...others,
  ...(valkey && { valkey: withFiles(valkey, absolute) }),
});

/** With each file (`…File`) by its absolute path. */
function withFiles<T extends object>(section: T, absolute: (path: string) => string): T {
  const entries = Object.entries(section).map(([key, value]) => [
    key,
    key.endsWith('File') && typeof value === 'string' ? absolute(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

function checkTokenFiles(
  { adminAuth, dataplane, rateLimits: { valkey }, metricsBackend, chatbot, tracing, aiSpans }: Config,
  document: ConfigDocument,
): void {
  const files = [
    { path: ['adminAuth', 'bearerTokenFile'], file: adminAuth.bearerTokenFile },
    { path: ['adminAuth', 'readOnlyBearerTokenFile'], file: adminAuth.readOnlyBearerTokenFile },
    { path: ['dataplane', 'adminAuth', 'bearerTokenFile'], file: dataplane.adminAuth.bearerTokenFile },
    { path: ['rateLimits', 'valkey', 'passwordFile'], file: valkey?.passwordFile },
    { path: ['rateLimits', 'valkey', 'caFile'], file: valkey?.caFile },
    { path: ['rateLimits', 'valkey', 'certFile'], file: valkey?.certFile },
    { path: ['rateLimits', 'valkey', 'keyFile'], file: valkey?.keyFile },
    { path: ['metricsBackend', 'authorizationFile'], file: metricsBackend.authorizationFile },
    { path: ['metricsBackend', 'caFile'], file: metricsBackend.caFile },
    { path: ['chatbot', 'apiKeyFile'], file: chatbot.apiKeyFile },
    { path: ['tracing', 'authorizationFile'], file: tracing.authorizationFile },
    { path: ['tracing', 'caFile'], file: tracing.caFile },
    { path: ['aiSpans', 'authorizationFile'], file: aiSpans.authorizationFile },
    { path: ['aiSpans', 'caFile'], file: aiSpans.caFile },
  ];
  for (const { path, file } of files) {
    if (file !== undefined) atPlace(document, path, () => readTokenFile(file));
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
