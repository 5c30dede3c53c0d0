import { type Config, ConfigError, hostFromHere, type ListenAddress } from '../../config/index.ts';
import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { ObjectValidator } from '../../sources/index.ts';
import {
  type BuildAddOns,
  buildCore,
  type ControlPlane,
  type Core,
  connect,
  noAddOns,
  startControlPlane,
} from '../control-plane/index.ts';
import { egressOf, findEnvoy, localAgentAuthOf, sessionKeyFilesOf } from '../data-plane/index.ts';
import type { ServeParts } from '../process/index.ts';
import { LocalProxies } from './local-proxies.ts';
import { openDirectory } from './open-directory.ts';

export interface RunOptions extends ServeParts {
  /** Directory (or single file) of YAML. */
  readonly path: string;
  /** None by default. */
  readonly buildAddOns?: BuildAddOns;
  /** Of the definitions that `env` leads to; one of its own by default. May be shared, for what it compiles is most of the cost of a start. */
  readonly validator?: ObjectValidator | undefined;
}

const loopback = '127.0.0.1';

/** Control plane, agents and Envoys in one process tree over a directory: no cluster needed. */
export async function startRun({
  config: given,
  path,
  buildAddOns = noAddOns,
  validator,
  ...rest
}: RunOptions): Promise<ControlPlane> {
  const config = bindToLoopback(given);
  rejectTls(config);
  const { place, ...directory } = await openDirectory({ ...rest, config }, { path, validator });
  const envoyPath = config.dataplane.envoyPath ?? findEnvoy(rest.env);
  const core = buildCore({
    ...directory.context,
    bind: (gateway, port) => ({ address: bindAddress(gateway), port }),
    sharing: { onOneMachine: true },
  });
  const proxies = buildLocalProxies(core, { envoyPath, env: rest.env });
  const connected = connect(core, {
    proxies,
    statuses: directory.statuses,
    keys: directory.keys,
    moduleCache: directory.moduleCache,
    ingresses: directory.ingresses,
  });
  const control = await startControlPlane(connected, { ...directory, addOns: buildAddOns(connected, place) });
  return {
    ...control,
    // Proxies first: while they drain they still get configuration, and none has to report a lost control plane.
    async stop() {
      await proxies.stop();
      await control.stop();
    },
  };
}

function buildLocalProxies(
  core: Core,
  { envoyPath, env }: { readonly envoyPath: string; readonly env: NodeJS.ProcessEnv },
): LocalProxies {
  const { config, version, logger } = core;
  const { dataplane, xds } = config;
  return new LocalProxies({
    core,
    envoyPath,
    version,
    logger,
    xdsHost: hostFromHere(xds.listen.host),
    adminListen: dataplane.adminListen,
    adminAuth: localAgentAuthOf(config, logger),
    bindAddress,
    drainTimeMs: dataplane.drainTimeMs,
    zone: env.GATEWRIGHT_ZONE || dataplane.zone,
    sessionKeyFiles: sessionKeyFilesOf(config),
    egress: egressOf(config),
  });
}

/** Agents are part of this process tree, and other clients of this machine need no proof of identity. */
function rejectTls({ xds: { tls } }: Config): void {
  if (tls.certFile === undefined && tls.clientCAFile === undefined) return;
  throw new ConfigError(
    'xds.tls: `gatewright run` speaks plain text with its own proxies; remove the files, or use `gatewright control-plane` with source.directory for proxies elsewhere',
  );
}

/** No port is opened to the network unless its host was written down: an address without a host becomes loopback. */
function bindToLoopback(config: Config): Config {
  const local = (address: ListenAddress): ListenAddress => ({ ...address, host: address.host ?? loopback });
  return {
    ...config,
    xds: { ...config.xds, listen: local(config.xds.listen) },
    admin: { listen: local(config.admin.listen), layout2Listen: local(config.admin.layout2Listen) },
    metrics: { ...config.metrics, listen: local(config.metrics.listen) },
    dataplane: { ...config.dataplane, adminListen: local(config.dataplane.adminListen) },
  };
}

/** The address a Gateway asks for, else loopback. */
function bindAddress(gateway: ObjectByKind['Gateway']): string {
  const asked = gateway.spec.addresses?.find(({ type = 'IPAddress', value }) => type === 'IPAddress' && value);
  return asked?.value ?? loopback;
}
