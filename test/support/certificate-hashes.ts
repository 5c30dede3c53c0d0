import { createHash, X509Certificate } from 'node:crypto';

interface Pem {
  readonly certificatePem: string;
}

/** SHA-256 of a certificate, in hexadecimal. */
export const certificateHash = ({ certificatePem }: Pem): string =>
  createHash('sha256').update(new X509Certificate(certificatePem).raw).digest('hex');

/** SHA-256 of its public key (SPKI), in base64. */
export const publicKeyHash = ({ certificatePem }: Pem): string =>
  createHash('sha256')
    .update(new X509Certificate(certificatePem).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
