import 'reflect-metadata';
import { randomBytes, type webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface IssuedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

const dayMs = 86_400_000;

/** An authority that can sign certificates. */
export interface Authority {
  readonly certificatePem: string;
  issue(names: CertificateNames): Promise<IssuedCertificate>;
}

export interface CertificateNames {
  /** The first is the common name too. */
  readonly hostnames: readonly string[];
  readonly uris?: readonly string[];
  /** In 90 days by default. */
  readonly ends?: Date;
}

const subjectAltNames = ({ hostnames, uris = [] }: CertificateNames) =>
  new x509.SubjectAlternativeNameExtension([
    ...hostnames.map((value) => ({ type: 'dns' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ]);

/** A new authority (ECDSA P-256, 90 days). */
export async function createAuthority(name: string): Promise<Authority> {
  const keys = await newKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    certificatePem: root.toString('pem'),
    async issue(names) {
      const leaf = await newKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        ...validity(names.ends),
        subject: `CN=${names.hostnames[0] ?? name}`,
        issuer: root.subject,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [subjectAltNames(names)],
      });
      return { certificatePem: certificate.toString('pem'), keyPem: await keyPemOf(leaf) };
    },
  };
}

/** A self-signed certificate (ECDSA P-256, 90 days) whose common name is the first hostname. */
export async function issueCertificate(hostnames: readonly string[]): Promise<IssuedCertificate> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: `CN=${hostnames[0]}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [subjectAltNames({ hostnames })],
  });
  return { certificatePem: certificate.toString('pem'), keyPem: await keyPemOf(keys) };
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const newKeys = () =>
  crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

const validity = (notAfter = new Date(Date.now() + 90 * dayMs)) => ({
  serialNumber: randomBytes(16).toString('hex'),
  notBefore: new Date(Date.now() - dayMs),
  notAfter,
});

async function keyPemOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END PRIVATE KEY-----\n`;
}
