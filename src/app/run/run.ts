import { type Config, ConfigError, hostFromHere, isLoopback, type ListenAddress } from '../../config/index.ts';
import type { ObjectByKind } from '../../gateway-api/index.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { localAgentAuthOf } from '../data-plane/agent-auth.ts';
import { egressOf } from '../data-plane/egress-of.ts';
import { findEnvoy } from '../data-plane/find-envoy.ts';
import { sessionKeyFilesOf } from '../data-plane/session-key-files.ts';
import type { ServeParts } from '../process/index.ts';
import { directoryParts } from './directory-parts.ts';
import { LocalProxies } from './local-proxies.ts';

export interface RunOptions extends ServeParts {
  /** Directory (or single file) of YAML. */
  readonly path: string;
}

const loopback = '127.0.0.1';

/** Control plane, agents and Envoys in one process tree over a directory: no cluster needed. */
export async function startRun({ config: given, path, ...surroundings }: RunOptions): Promise<ControlPlane> {
  const config = bindToLoopback(given);
  const { logger, version, env } = surroundings;
  const { dataplane, outgoing, xds, admin } = config;
  refuseTls(config);
  const parts = await directoryParts({ ...surroundings, config }, path);
  const envoyPath = dataplane.envoyPath ?? findEnvoy(env);
  let proxies: LocalProxies | undefined;
  const control = await startControlPlane({
    ...parts,
    // Only programs of this machine configure anything then, and they reach its servers anyway.
    allowLoopback: outgoing.allowLoopback ?? isLoopback(admin.listen.host),
    bind: (gateway, port) => ({ address: bindAddress(gateway), port }),
    createProxies: (hooks) => {
      proxies = new LocalProxies({
        hooks,
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
      return proxies;
    },
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
    metrics: { listen: local(config.metrics.listen) },
    dataplane: { ...config.dataplane, adminListen: local(config.dataplane.adminListen) },
  };
}

/** The address a Gateway asks for, else loopback. */
function bindAddress(gateway: ObjectByKind['Gateway']): string {
  const asked = gateway.spec.addresses?.find(({ type = 'IPAddress', value }) => type === 'IPAddress' && value);
  return asked?.value ?? loopback;
}
