import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { configErrorOf } from './describe-issue.ts';
import { type ConfigDocument, parseConfigDocument } from './document.ts';
import type { Environment } from './environment.ts';
import { type Config, configSchema } from './schema/schema.ts';
import { readTokenFile } from './token-file.ts';

/**
 * The configuration of a process: the YAML file at `path`, or the defaults when there is none. `${NAME}` in a value
 * stands for an environment variable, which must not be empty. Relative paths in the file are relative to the file. The
 * node id of a data plane is SVC_GW_NODE_ID where that is set, else `dataplane.config.node_id`.
 *
 * Throws a ConfigError for every fault, a token file that is missing or empty included.
 */
export function loadConfig(path: string | undefined, env: Environment): Config {
  const document = path === undefined ? noDocument : parseConfigDocument(path, readConfigFile(path), env);
  const parsed = configSchema.safeParse(document.values);
  if (!parsed.success) throw configErrorOf(parsed.error, document, configSchema);
  const config = settle(parsed.data, dirname(resolve(path ?? 'defaults')), env);
  checkTokenFiles(config, document);
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
  const { source, adminAuth, dataplane, state, metricsBackend, chatbot } = config;
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
    state: { ...state, ...(state.directory !== undefined && { directory: absolute(state.directory) }) },
    metricsBackend: {
      ...metricsBackend,
      ...(metricsBackend.authorizationFile !== undefined && {
        authorizationFile: absolute(metricsBackend.authorizationFile),
      }),
      ...(metricsBackend.caFile !== undefined && { caFile: absolute(metricsBackend.caFile) }),
    },
    chatbot: { ...chatbot, ...(chatbot.apiKeyFile !== undefined && { apiKeyFile: absolute(chatbot.apiKeyFile) }) },
  };
}

function checkTokenFiles({ adminAuth, metricsBackend, chatbot }: Config, document: ConfigDocument): void {
  const files = [
    { path: ['adminAuth', 'bearerTokenFile'], file: adminAuth.bearerTokenFile },
    { path: ['adminAuth', 'readOnlyBearerTokenFile'], file: adminAuth.readOnlyBearerTokenFile },
    { path: ['metricsBackend', 'authorizationFile'], file: metricsBackend.authorizationFile },
    { path: ['metricsBackend', 'caFile'], file: metricsBackend.caFile },
    { path: ['chatbot', 'apiKeyFile'], file: chatbot.apiKeyFile },
  ];
  for (const { path, file } of files) {
    if (file === undefined) continue;
    const { line, key } = document.place(path);
    try {
      readTokenFile(file);
    } catch (cause) {
      if (!(cause instanceof ConfigError)) throw cause;
      throw new ConfigError(`${document.file}:${line}: ${key}: ${cause.message}`, { cause });
    }
  }
}
