import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DirectoryResourceStore } from '../src/admin/index.ts';
import { type Config, ConfigError, type ListenAddress } from '../src/config/index.ts';
import type { ObjectByKind } from '../src/gateway-api/index.ts';
import { FileSettings } from '../src/settings/index.ts';
import { DirectorySource, formatProblem, ObjectValidator } from '../src/sources/index.ts';
import { componentLogger, createMetrics } from '../src/telemetry/index.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { findDefinitions } from './find-definitions.ts';
import { findEnvoy } from './find-envoy.ts';
import { LocalProxies } from './local-proxies.ts';
import { logStatus } from './log-status.ts';
import type { ServeParts } from './serve.ts';
import { sessionKeyFilesOf } from './session-key-files.ts';
import { stateDirectory } from './state-directory.ts';

export interface RunOptions extends ServeParts {
  /** Directory (or single file) of YAML. */
  readonly path: string;
  /** Listen on loopback only: for a start without a configuration file, that nothing is opened to the network unasked. */
  readonly onLoopback: boolean;
}

const loopback = '127.0.0.1';

/** Control plane, agents and Envoys in one process tree over a directory: no cluster needed. */
export async function startRun({
  config: given,
  path,
  logger,
  version,
  env,
  onLoopback,
}: RunOptions): Promise<ControlPlane> {
  const config = onLoopback ? bindToLoopback(given) : given;
  if (!existsSync(path))
    throw new ConfigError(`${path} does not exist: name a directory of YAML files, or one such file`);
  refuseTls(config);
  const envoyPath = config.dataplane.envoyPath ?? findEnvoy(env);
  const sourceLog = componentLogger(logger, 'source');
  const validator = await ObjectValidator.load(findDefinitions(env));
  const source = new DirectorySource({
    path,
    validator,
    onProblem: (problem) => sourceLog.error(formatProblem(problem)),
  });
  let proxies: LocalProxies | undefined;
  const control = await startControlPlane({
    config,
    logger,
    version,
    metrics: createMetrics(),
    source,
    resources: new DirectoryResourceStore({ source, validator }),
    settings: new FileSettings(stateDirectory(config, path, env)),
    usageFile: join(stateDirectory(config, path, env), 'ai-usage.sqlite'),
    // Everything is on this machine then, what one would like to configure included.
    allowLoopback: onLoopback || config.outgoing.allowLoopback,
    bind: (gateway, port) => ({ address: bindAddress(gateway), port }),
    createProxies: (hooks) => {
      proxies = new LocalProxies({
        hooks,
        envoyPath,
        version,
        logger,
        adminListen: config.dataplane.adminListen,
        bindAddress,
        drainTimeMs: config.dataplane.drainTimeMs,
        zone: env.GATEWRIGHT_ZONE || config.dataplane.zone,
        sessionKeyFiles: sessionKeyFilesOf(config),
      });
      return proxies;
    },
    createStatusSink: () => ({ wish: logStatus(componentLogger(logger, 'status')) }),
  });
  return {
    ...control,
    // Proxies first: while they drain they are still spoken to, and nobody has to report a lost control plane.
    async stop() {
      await proxies?.stop();
      await control.stop();
    },
  };
}

/** Agents are part of this process tree, and who else gets configuration here is not asked who it is. */
function refuseTls({ xds: { tls } }: Config): void {
  if (tls.certFile === undefined && tls.clientCAFile === undefined) return;
  throw new ConfigError('xds.tls: `gatewright run` speaks plain text with its own proxies; remove the files');
}

function bindToLoopback(config: Config): Config {
  const local = (address: ListenAddress): ListenAddress => ({ ...address, host: address.host ?? loopback });
  return {
    ...config,
    xds: { ...config.xds, listen: local(config.xds.listen) },
    admin: { listen: local(config.admin.listen), layout2Listen: local(config.admin.layout2Listen) },
    metrics: { listen: local(config.metrics.listen) },
    dataplane: { ...config.dataplane, adminListen: local(config.dataplane.adminListen) },
  };
}

/** The address a Gateway asks for, else loopback. */
function bindAddress(gateway: ObjectByKind['Gateway']): string {
  const asked = gateway.spec.addresses?.find(({ type = 'IPAddress', value }) => type === 'IPAddress' && value);
  return asked?.value ?? loopback;
}
