import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { isHostname } from '../values/hostname.ts';
import { noted } from '../values/noted.ts';
import { firstCertificate } from '../values/pem.ts';
import type { Placed } from './external-auth.ts';
import type { Part } from './part.ts';

/** Where an Ingress is, with the certificate that its Gateway can show to backends, `NAMESPACE/NAME`. */
export interface TlsPlace extends Pick<Placed, 'namespace' | 'secretText'> {
  readonly shownCertificate: string | undefined;
}

/** TLS to backends: whom they must be, and what they are shown. nginx verifies nothing unless it is asked to, and sends no name. */
export function backendTls(settings: SettingsOf, hosts: readonly string[], place: TlsPlace): Part {
  const wanted = [settings.set('proxy-ssl-name') ?? '', ...hosts];
  const hostname = wanted.find((host) => isHostname(host) && !host.startsWith('*')) ?? 'backend.invalid';
  const isVerified = settings.get('proxy-ssl-verify').toLowerCase() === 'on';
  const tls = isVerified ? verified(settings, hostname, place) : unverified(hostname);
  return { ...tls, findings: [...tls.findings, ...shown(settings, place)] };
}

const unverified = (hostname: string): Part => ({
  findings: [
    annotated(
      'backend-protocol',
      'decision',
      `nginx does not verify certificates of backends, and so it stays: name an authority, or a hash in the BackendPolicy, if anyone can be in between; backends get the name ${hostname} by SNI`,
    ),
  ],
  backendTls: { validation: { wellKnownCACertificates: 'System', hostname } },
  backend: {
    tls: { verification: { mode: noted('None', 'as nginx, which verifies nothing unless proxy-ssl-verify is on') } },
  },
});

/** The Secret of `proxy-ssl-secret`; undefined if none is named. */
export function backendSecret(settings: SettingsOf, home: string): { namespace: string; name: string } | undefined {
  const { namespace = home, name } =
    /^(?:(?<namespace>[^/]+)\/)?(?<name>[^/]+)$/.exec(settings.get('proxy-ssl-secret'))?.groups ?? {};
  return name === undefined ? undefined : { namespace, name };
}

function verified(settings: SettingsOf, hostname: string, { namespace, secretText }: TlsPlace): Part {
  const secret = backendSecret(settings, namespace);
  const name = `${secret?.name ?? 'backend'}-ca`;
  const certificates = secret && secretText(secret.namespace, secret.name, 'ca.crt');
  const reference = [{ group: '', kind: 'ConfigMap', name }];
  const isNamed = settings.set('proxy-ssl-name') === hostname;
  if (certificates === undefined || firstCertificate(certificates) === undefined || !isNamed) {
    const text = `write the authority of the backend's certificate into ConfigMap ${name}, entry ca.crt, with the name ${hostname} in the certificate; until then requests get an error`;
    return {
      findings: [annotated('backend-protocol', 'decision', text)],
      backendTls: {
        validation: {
          caCertificateRefs: noted(
            reference,
            'not made by this conversion: entry ca.crt, the authority of the backend',
          ),
          hostname,
        },
      },
    };
  }
  return {
    findings: [
      ...['proxy-ssl-verify', 'proxy-ssl-name'].map((each) => annotated(each)),
      ...sentName(settings, hostname),
    ],
    backendTls: { validation: { caCertificateRefs: reference, hostname } },
    backendAuthority: { name, certificates },
  };
}

function sentName(settings: SettingsOf, hostname: string): readonly Finding[] {
  const about = 'proxy-ssl-server-name';
  return settings.get(about).toLowerCase() === 'on'
    ? [annotated(about, 'same', 'backends get the name by SNI')]
    : [annotated(about, 'differs', `backends get the name ${hostname} by SNI, and none in nginx`)];
}

/** The certificate of the Secret, which a Gateway shows to all of its backends that ask for one. */
function shown(settings: SettingsOf, { namespace, secretText, shownCertificate }: TlsPlace): readonly Finding[] {
  const about = 'proxy-ssl-secret';
  const secret = backendSecret(settings, namespace);
  if (secret === undefined) return [];
  if (secretText(secret.namespace, secret.name, 'tls.crt') === undefined)
    return [annotated(about, 'same', 'its authority')];
  return shownCertificate === `${secret.namespace}/${secret.name}`
    ? [annotated(about, 'differs', 'the Gateway shows its certificate to all backends that ask for one')]
    : [
        annotated(
          about,
          'decision',
          'backends that ask for a certificate get it only if tls.backend of their Gateway names it',
        ),
      ];
}
