import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface IssuedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

const dayMs = 86_400_000;

/** A self-signed certificate (ECDSA P-256, 30 days) whose common name is the first hostname. */
export async function issueCertificate(hostnames: readonly string[]): Promise<IssuedCertificate> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(16).toString('hex'),
    name: `CN=${hostnames[0]}`,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + 30 * dayMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension(hostnames.map((value) => ({ type: 'dns', value })))],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certificatePem: certificate.toString('pem'),
    keyPem: `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END PRIVATE KEY-----\n`,
  };
}
