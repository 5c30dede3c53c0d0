import { isIP } from 'node:net';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type CommonTlsContextSchema,
  packAny,
  SubjectAltNameMatcher_SanType as SanType,
  type TransportSocketSchema,
  UpstreamTlsContextSchema,
  CertificateValidationContext_TrustChainVerification as Verification,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { adsSource, backendAuthoritiesName, backendCertificateName, secretName, tlsParams } from '../resource/index.ts';

/** Where the official Envoy image and Debian's family of systems keep their authorities. */
const systemAuthorities = '/etc/ssl/certs/ca-certificates.crt';

/** The offered protocols: bytes may be of any protocol, and a backend may reject a client that offers another one. */
const alpn: Readonly<Partial<Record<ir.BackendProtocol, readonly string[]>>> = { http1: ['http/1.1'], h2c: ['h2'] };

/**
 * TLS towards a backend. Without a validation context Envoy trusts every certificate, so there is always one, that says so if every
 * certificate is to be accepted. Authorities come by SDS: their rotation closes no connection.
 */
export function upstreamTls(
  { key: backend, protocol, tuning }: Pick<ir.Backend, 'key' | 'protocol' | 'tuning'>,
  tls: ir.BackendTls,
): MessageInitShape<typeof TransportSocketSchema> {
  const context = create(UpstreamTlsContextSchema, {
    sni: tls.serverName,
    commonTlsContext: {
      // Without a list Envoy offers what it is about to speak.
      alpnProtocols: tuning?.usesClientProtocol ? [] : [...(alpn[protocol] ?? [])],
      // By Envoy's own default no backend could speak 1.3.
      tlsParams: tlsParams({ maxVersion: '1.3', ...tuning?.tls }),
      tlsCertificateSdsSecretConfigs: certificateNames(backend, tls).map((name) => ({ name, sdsConfig: adsSource() })),
      validationContextType: validation(backend, tls, tuning?.tls?.verification),
    },
  });
  return {
    name: 'envoy.transport_sockets.tls',
    configType: { case: 'typedConfig', value: packAny(UpstreamTlsContextSchema, context) },
  };
}

type Validation = NonNullable<MessageInitShape<typeof CommonTlsContextSchema>['validationContextType']>;

function validation(backend: string, tls: ir.BackendTls, verification: ir.TlsTuning['verification']): Validation {
  if (verification === 'none' || (tls.unverified && !verification))
    return { case: 'validationContext', value: { trustChainVerification: Verification.ACCEPT_UNTRUSTED } };
  if (verification) {
    const { certificates, publicKeys } = verification;
    return {
      case: 'validationContext',
      value: { verifyCertificateHash: [...certificates], verifyCertificateSpki: [...publicKeys] },
    };
  }
  const names = { matchTypedSubjectAltNames: tls.names.map(nameMatcher) };
  if (tls.authorities === undefined)
    return {
      case: 'validationContext',
      value: { ...names, trustedCa: { specifier: { case: 'filename', value: systemAuthorities } } },
    };
  return {
    case: 'combinedValidationContext',
    value: {
      defaultValidationContext: names,
      validationContextSdsSecretConfig: { name: backendAuthoritiesName(backend), sdsConfig: adsSource() },
    },
  };
}

function certificateNames(backend: string, { ownCertificate, clientCertificate }: ir.BackendTls): string[] {
  if (ownCertificate) return [backendCertificateName(backend)];
  return clientCertificate === undefined ? [] : [secretName(clientCertificate)];
}

const nameMatcher = ({ kind, value }: ir.SubjectName) => ({
  sanType: kind === 'uri' ? SanType.URI : isIP(value) === 0 ? SanType.DNS : SanType.IP_ADDRESS,
  matcher: { matchPattern: { case: 'exact' as const, value } },
});
