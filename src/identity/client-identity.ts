import { type Admission, AdmissionError, type ClientCertificate } from '../xds/index.ts';

/** The last part of the URI that a client's certificate names its Gateway by, behind any trust domain. */
const gatewayPath = /^\/gateway\/([^/]+)\/([^/]+)$/;

/**
 * What a client may be by its certificate, whose authority was checked before.
 *
 * `URI:spiffe://TRUST/gateway/NAMESPACE/NAME` among the subject alternative names: that Gateway's node; several: any of
 * these. No `spiffe:` URI at all: a node of any Gateway, so the authority must sign for proxies only. URIs of another form
 * are identities of something else, which no proxy is. Throws AdmissionError for these.
 */
export function admitCertificate(certificate: Extract<ClientCertificate, { state: 'verified' }>): Admission {
  const { subject } = certificate;
  const identities = urisOf(certificate.subjectAltName).filter((uri) => uri.toLowerCase().startsWith('spiffe:'));
  if (identities.length === 0) return { subject, refuses: () => undefined };
  const gateways = identities.flatMap(gatewayOf);
  if (gateways.length === 0) {
    throw new AdmissionError(
      'unauthenticated',
      `the client certificate is that of ${identities[0]}: a proxy has spiffe://TRUST/gateway/NAMESPACE/NAME`,
    );
  }
  return {
    subject: identities.join(', '),
    refuses({ cluster }) {
      if (gateways.includes(cluster)) return undefined;
      return `node.cluster ${cluster} is not the Gateway of the client certificate, which is for ${gateways.join(', ')}`;
    },
  };
}

function gatewayOf(uri: string): string[] {
  const [, namespace, name] = gatewayPath.exec(URL.parse(uri)?.pathname ?? '') ?? [];
  return namespace === undefined ? [] : [`${namespace}/${name}`];
}

/** Node writes values with special characters as JSON strings. */
function urisOf(subjectAltName: string): string[] {
  const entries = subjectAltName.matchAll(/(?:^|, )(?<kind>[^:,]+):(?<value>"(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...entries].flatMap(({ groups }) => {
    const { kind, value } = groups as { kind: string; value: string };
    if (kind !== 'URI') return [];
    return [value.startsWith('"') ? (JSON.parse(value) as string) : value];
  });
}

/** The TLS library's word for why a client's certificate is not trusted, as a person needs it. */
export function certificateFault({
  reason,
  subject,
}: Extract<ClientCertificate, { state: 'refused' }>): AdmissionError {
  const why = faults[reason] ?? (unknownAuthority.has(reason) ? 'it is of an unknown authority' : reason);
  return new AdmissionError('unauthenticated', `the client certificate ${subject} is refused: ${why}`);
}

const faults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  INVALID_PURPOSE: 'it is not for clients',
};

const unknownAuthority: ReadonlySet<string> = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);
