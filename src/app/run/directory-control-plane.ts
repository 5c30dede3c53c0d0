import { createAuthenticator } from '../../cluster/identity/index.ts';
import { ConfigError } from '../../config/index.ts';
import type { ObjectByKind } from '../../gateway-api/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import {
  type BuildAddOns,
  buildCore,
  type ControlPlane,
  type CoreOptions,
  connect,
  noAddOns,
  servingFromFiles,
  startControlPlane,
} from '../control-plane/index.ts';
import type { ServeParts } from '../process/index.ts';
import { ForeignProxies } from './foreign-proxies.ts';
import { type OpenDirectory, openDirectory } from './open-directory.ts';

/**
 * The control plane over a directory, for data planes that run elsewhere: they connect by mutual TLS with certificates from files, since there is no
 * cluster to ask for tokens. Rejects with ConfigError for errors that an operator can fix.
 */
export async function startDirectoryControlPlane(
  given: ServeParts,
  buildAddOns: BuildAddOns = noAddOns,
): Promise<ControlPlane> {
  const { source } = given.config;
  if (source.kind !== 'directory') throw new Error('there is no directory');
  const identity = identityOf(given);
  try {
    const control = await startOver(await openDirectory(given, { path: source.path }), identity, buildAddOns);
    return {
      ...control,
      async stop() {
        identity?.stop();
        await control.stop();
      },
    };
  } catch (error) {
    identity?.stop();
    throw error;
  }
}

async function startOver(
  { place, ...directory }: OpenDirectory,
  identity: FileIdentity | undefined,
  buildAddOns: BuildAddOns,
): Promise<ControlPlane> {
  const core = buildCore({
    ...directory.context,
    identity,
    bind: (gateway, port) => ({ address: askedAddress(gateway) ?? '0.0.0.0', port }),
  });
  const proxies = new ForeignProxies({ core, askedAddress });
  const connected = connect(core, {
    proxies,
    statuses: directory.statuses,
    keys: directory.keys,
    moduleCache: directory.moduleCache,
    ingresses: directory.ingresses,
  });
  return await startControlPlane(connected, { ...directory, addOns: buildAddOns(connected, place) });
}

type FileIdentity = NonNullable<CoreOptions['identity']> & { readonly stop: () => void };

/** Undefined: plain text, which is not served beyond loopback unless that was asked for. */
function identityOf({ config, logger }: ServeParts): FileIdentity | undefined {
  const { certFile, keyFile, clientCAFile } = config.xds.tls;
  if (certFile === undefined && clientCAFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new ConfigError('xds.tls.certFile is not set: without a cluster the server’s certificate comes from files');
  if (clientCAFile === undefined)
    throw new ConfigError(
      'xds.tls.clientCAFile is not set: without a cluster, proxies prove by certificate who they are; name the authorities of theirs',
    );
  const serving = servingFromFiles({ certFile, keyFile, clientCAFile }, componentLogger(logger, 'identity'));
  return { ...serving, authenticator: createAuthenticator({ byCertificate: true }) };
}

/** Where the Gateway asks its proxies to listen. */
function askedAddress(gateway: ObjectByKind['Gateway']): string | undefined {
  return gateway.spec.addresses?.find(({ type = 'IPAddress', value }) => type === 'IPAddress' && value)?.value;
}
