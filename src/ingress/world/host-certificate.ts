import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Secret } from '../../gateway-api/index.ts';
import { secretText } from './secret-text.ts';

/** The certificate of a Secret, or why it has none that a server could show. */
export type CertificateRead = { readonly certificate: X509Certificate } | { readonly fault: string };

const known = new WeakMap<Secret, CertificateRead>();

/** Read once for each stored Secret. An expired one is read too: nginx shows it. */
export function certificateOf(secret: Secret | undefined): CertificateRead {
  if (secret === undefined) return { fault: 'does not exist' };
  const found = known.get(secret) ?? read(secret);
  known.set(secret, found);
  return found;
}

/** Whether clients that ask for the host accept the certificate's names. A wildcard host is one that the certificate names as it is. */
export const isForHost = (read: CertificateRead, host: string): boolean =>
  'certificate' in read && read.certificate.checkHost(host) !== undefined;

function read(secret: Secret): CertificateRead {
  const [text, key] = [secretText(secret, 'tls.crt'), secretText(secret, 'tls.key')];
  if (text === undefined || key === undefined) return { fault: 'has no tls.crt and tls.key' };
  try {
    const certificate = new X509Certificate(text);
    if (certificate.checkPrivateKey(createPrivateKey(key))) return { certificate };
    return { fault: 'has a tls.key that does not belong to its tls.crt' };
  } catch {
    return { fault: 'has no certificate and key in PEM' };
  }
}
