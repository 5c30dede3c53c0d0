import {
  createAuthenticator,
  defaultAuthorityTiming,
  IssuedCertificates,
  KubeAuthorities,
  readBundle,
  servingHosts,
  TokenReviewer,
} from '../../cluster/identity/index.ts';
import { type Config, ConfigError } from '../../config/index.ts';
import { placeOf, type XdsTrust } from '../../infrastructure/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';
import type { Authenticator, CertificateSource } from '../../xds/index.ts';
import { followed, servingFromFiles } from '../control-plane/index.ts';

/** Who the xDS server is, and how it finds out who its clients are. */
export interface XdsIdentity {
  readonly certificates: CertificateSource;
  readonly authenticator: Authenticator;
  /** What the proxies of Gateways are given to connect. */
  readonly trust: XdsTrust;
  /** Calls the listener when the bundle of `trust` is another one. */
  onTrust(listener: () => void): void;
  /** Ends the timers that look for new certificates. */
  stop(): void;
}

export interface XdsIdentityOptions {
  readonly config: Pick<Config, 'xds' | 'infrastructure'>;
  readonly client: KubeClient;
  /** Where this control plane is, unless the configuration names a namespace. */
  readonly namespace: string;
  readonly logger: Logger;
}

/** What presents the server, whichever way it gets it. */
interface Presence {
  readonly certificates: CertificateSource;
  readonly bundle: () => string;
  onBundle(listener: () => void): void;
  readonly stop: () => void;
}

/**
 * As the configuration says: certificates from files, or of our own authority; clients by certificate, where there are
 * authorities for these, and by the token of their ServiceAccount. Undefined for plain text. Rejects with an error that an operator can fix.
 */
export async function openXdsIdentity(options: XdsIdentityOptions): Promise<XdsIdentity | undefined> {
  const { config, client, logger } = options;
  const { insecure, tls } = config.xds;
  const log = componentLogger(logger, 'identity');
  if (insecure) return undefined;
  const { certificates, bundle, onBundle, stop } =
    tls.certFile === undefined ? await issued(options, log) : fromFiles(options, log);
  const { audience, clientCAFile } = tls;
  return {
    certificates,
    authenticator: createAuthenticator({
      byCertificate: clientCAFile !== undefined,
      // The ServiceAccount has the name of everything else that is made for the Gateway.
      tokens: new TokenReviewer({
        client,
        audience,
        accountOf: (key) => placeOf(key, config.infrastructure.namespace),
      }),
    }),
    trust: { audience, bundle },
    onTrust: onBundle,
    stop,
  };
}

/** By our own authority, which all replicas share. */
async function issued({ config, client, namespace: own }: XdsIdentityOptions, log: Logger): Promise<Presence> {
  const { authoritySecret: name, namespace = own, clientCAFile } = config.xds.tls;
  const now = () => new Date();
  const authorities = new KubeAuthorities({ client, namespace, name, timing: defaultAuthorityTiming, now });
  const clients =
    clientCAFile === undefined ? undefined : followed(() => readBundle('clientCAFile', clientCAFile), log);
  const certificates = await IssuedCertificates.open({
    load: () => authorities.load(),
    timing: defaultAuthorityTiming,
    hosts: servingHosts(config.infrastructure.xdsAddress.host ?? 'localhost'),
    ...(clients && { clientAuthorities: () => clients.current }),
    onFailure: (err) => log.warn({ err, secret: `${namespace}/${name}` }, 'CA certificate check failed; retrying'),
    onIssued: (notAfter) => log.info({ not_after: notAfter }, 'xDS serving certificate issued'),
  });
  clients?.follow(() => certificates.announce());
  const ends = [certificates.start(), clients?.start()];
  return {
    certificates,
    bundle: () => certificates.bundle,
    onBundle: (listener) => void certificates.followBundle(listener),
    stop: () => {
      for (const end of ends) end?.();
    },
  };
}

/** By files that another program keeps, such as cert-manager. */
function fromFiles({ config }: XdsIdentityOptions, log: Logger): Presence {
  const { certFile, keyFile, caFile, clientCAFile } = config.xds.tls;
  if (certFile === undefined || keyFile === undefined) throw new Error('files without a certificate');
  if (caFile === undefined) {
    throw new ConfigError(
      'xds.tls.caFile is not set: name the authorities that proxies check xds.tls.certFile against',
    );
  }
  const { certificates, stop } = servingFromFiles({ certFile, keyFile, clientCAFile }, log);
  const bundle = followed(() => readBundle('caFile', caFile), log);
  const end = bundle.start();
  return {
    certificates,
    bundle: () => bundle.current,
    onBundle: (listener) => void bundle.follow(listener),
    stop: () => {
      stop();
      end();
    },
  };
}
