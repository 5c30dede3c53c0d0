import { createPrivateKey, X509Certificate } from 'node:crypto';

/** A certificate authority that is kept as text. */
export interface Authority {
  /** PEM */
  readonly certificate: string;
  /** PKCS #8 in PEM. */
  readonly key: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** PEM both. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly notAfter: Date;
}

export interface IssueOptions {
  /** DNS names and IP addresses. */
  readonly hosts: readonly string[];
  readonly now: Date;
  /** Cut to the authority's own end. */
  readonly lifetimeMs: number;
}

/** An authority as it was kept. Throws when it is none, or the key is another one's. */
export function readAuthority(certificate: string, key: string): Authority {
  const parsed = new X509Certificate(certificate);
  if (!parsed.ca) throw new Error('the certificate is not that of an authority');
  if (!parsed.checkPrivateKey(createPrivateKey(key))) throw new Error('the key does not belong to the certificate');
  return { certificate, key, notBefore: parsed.validFromDate, notAfter: parsed.validToDate };
}
