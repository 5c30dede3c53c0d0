import { X509Certificate } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { AuthorityHolding } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { timeTextOrNull } from '../resource/leaves.ts';

/** What may be shown of a certificate: never the key, and of the certificate only what it says. */
export interface CertificateFacts {
  readonly subject: string;
  /** Subject alternative names, without their kind. */
  readonly sans: readonly string[];
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SHA-256, in colon-separated hexadecimal. */
  readonly fingerprint: string;
}

/** The facts as records have them; nulls without any. */
export const shownFacts = (facts: CertificateFacts | undefined) => ({
  subject: facts?.subject ?? null,
  sans: facts?.sans ?? null,
  issuer: facts?.issuer ?? null,
  notBefore: timeTextOrNull(facts?.notBefore),
  notAfter: timeTextOrNull(facts?.notAfter),
  fingerprint: facts?.fingerprint ?? null,
});

// Parsing costs some 50 µs; a secret of the IR is never changed, only replaced.
const known = new WeakMap<object, CertificateFacts | undefined>();

/** The facts of the first certificate of a secret's chain; undefined when it cannot be read. */
export function certificateFacts(secret: ir.Secret): CertificateFacts | undefined {
  return remembered(secret, () => secret.certificateChain.reveal());
}

/** The facts of the authority that ends first; undefined when none can be read. */
export const authorityFacts = ({ bundle }: Pick<AuthorityHolding, 'bundle'>): CertificateFacts | undefined =>
  bundle && remembered(bundle, () => bundle.endsFirst);

function remembered(holder: object, pem: () => string | Uint8Array): CertificateFacts | undefined {
  if (!known.has(holder)) known.set(holder, parse(pem()));
  return known.get(holder);
}

function parse(pem: string | Uint8Array): CertificateFacts | undefined {
  try {
    const { subject, subjectAltName, issuer, validFromDate, validToDate, fingerprint256 } = new X509Certificate(pem);
    if (Number.isNaN(validToDate.getTime() + validFromDate.getTime())) return undefined;
    return {
      subject: oneLine(subject),
      sans: (subjectAltName ?? '').split(', ').flatMap(sanOf),
      issuer: oneLine(issuer),
      notBefore: validFromDate,
      notAfter: validToDate,
      fingerprint: fingerprint256,
    };
  } catch {
    return undefined;
  }
}

// OpenSSL prints one attribute per line.
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').filter(Boolean).join(', ');

function sanOf(entry: string): string[] {
  const colon = entry.indexOf(':');
  if (colon < 0) return [];
  const value = entry.slice(colon + 1);
  return [isIPv6(value) ? value.toLowerCase() : value];
}
