import { createAuthenticator } from '../../cluster/identity/index.ts';
import { ConfigError, isLoopback } from '../../config/index.ts';
import type { ObjectByKind } from '../../gateway-api/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../control-plane/control-plane.ts';
import { servingFromFiles } from '../operator/xds-identity.ts';
import type { ServeParts } from '../process/index.ts';
import { directoryParts } from './directory-parts.ts';
import { ForeignProxies } from './foreign-proxies.ts';

/**
 * The control plane over a directory, for data planes that run elsewhere: they connect by mutual TLS with certificates from files, since there is no
 * cluster to ask for tokens. Rejects with ConfigError for what a person can mend.
 */
export async function startDirectoryControlPlane(given: ServeParts): Promise<ControlPlane> {
  const { config } = given;
  const { source, admin, outgoing } = config;
  if (source.kind !== 'directory') throw new Error('there is no directory');
  const identity = identityOf(given);
  let proxies: ForeignProxies | undefined;
  let control: ControlPlane | undefined;
  control = await startControlPlane({
    ...(await directoryParts(given, source.path)),
    identity,
    allowLoopback: outgoing.allowLoopback ?? isLoopback(admin.listen.host),
    bind: (gateway, port) => ({ address: askedAddress(gateway) ?? '0.0.0.0', port }),
    createProxies: (hooks) => {
      proxies = new ForeignProxies({ hooks, askedAddress, nodes: () => control?.xds.nodes });
      return proxies;
    },
  }).catch((error: unknown) => {
    identity?.stop();
    throw error;
  });
  const { stop, xds } = control;
  xds.onNode((event) => proxies?.seen(event));
  return {
    ...control,
    async stop() {
      identity?.stop();
      await stop();
    },
  };
}

type FileIdentity = NonNullable<ControlPlaneOptions['identity']> & { readonly stop: () => void };

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
