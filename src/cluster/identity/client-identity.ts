import { type Admission, AdmissionError, type ClientCertificate } from '../../xds/index.ts';
import { readAltNames } from './alt-names.ts';
import { gatewayOfSpiffeId } from './spiffe-id.ts';

/**
 * What a client may be by its certificate, whose authority was checked before.
 *
 * `URI:spiffe://TRUST/gateway/NAMESPACE/NAME` as the only URI among the subject alternative names: that Gateway's node. No URI at
 * all: a node of any Gateway, so the authority must sign for proxies only. Any other URI, several of them (X509-SVID, 2), or names
 * that cannot be read: the identity of something else, which no proxy is. Throws AdmissionError for these.
 */
export function admitCertificate(certificate: Extract<ClientCertificate, { state: 'verified' }>): Admission {
  const names = readAltNames(certificate.subjectAltName);
  if (names === undefined) throw notOurs('has subject alternative names that cannot be read');
  const [identity, ...others] = names.filter(({ kind }) => kind === 'URI').map(({ value }) => value);
  if (identity === undefined) return { subject: printable(certificate.subject), rejects: () => undefined };
  if (others.length > 0) throw notOurs(`has ${others.length + 1} URIs, of which a SPIFFE certificate has one`);
  const gateway = gatewayOfSpiffeId(identity);
  if (gateway === undefined) throw notOurs(`is that of ${printable(identity)}`);
  return {
    subject: identity,
    rejects({ cluster }) {
      if (cluster === gateway) return undefined;
      return `node.cluster ${printable(cluster)} is not the Gateway of the client certificate, which is for ${gateway}`;
    },
  };
}

const notOurs = (what: string): AdmissionError =>
  new AdmissionError(
    'unauthenticated',
    `the client certificate ${what}: a proxy has spiffe://TRUST/gateway/NAMESPACE/NAME, written exactly so`,
  );

/** For logs and messages: an authority may sign anything. */
const printable = (text: string): string =>
  JSON.stringify(text.slice(0, 256))
    .slice(1, -1)
    .replaceAll(/[^ -~]/g, '?');

/** The TLS library's word for why a client's certificate is not trusted, as a person needs it. */
export function certificateFault({
  reason,
  subject,
}: Extract<ClientCertificate, { state: 'rejected' }>): AdmissionError {
  const why = faults[reason] ?? (unknownAuthority.has(reason) ? 'it is of an unknown authority' : reason);
  return new AdmissionError('unauthenticated', `the client certificate ${printable(subject)} is rejected: ${why}`);
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
