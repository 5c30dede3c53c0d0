import 'reflect-metadata';
import { randomBytes, type webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface IssuedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

const dayMs = 86_400_000;
const usualDays = 90;

/** An authority that can sign certificates. */
export interface Authority {
  readonly certificatePem: string;
  issue(names: CertificateNames): Promise<IssuedCertificate>;
}

export interface CertificateNames {
  readonly hostnames: readonly string[];
  readonly uris?: readonly string[];
  readonly emails?: readonly string[];
  readonly ips?: readonly string[];
  /** As in RFC 2253, and may be empty. By default the first hostname is the common name, or that of the authority. */
  readonly subject?: string;
  /** In 90 days by default. */
  readonly ends?: Date;
  /** Clients and servers alike by default. */
  readonly usage?: keyof typeof usages;
}

const usages = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

function extensionsOf({ hostnames, uris = [], emails = [], ips = [], usage }: CertificateNames): x509.Extension[] {
  const names = [
    ...hostnames.map((value) => ({ type: 'dns' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
    ...emails.map((value) => ({ type: 'email' as const, value })),
    ...ips.map((value) => ({ type: 'ip' as const, value })),
  ];
  return [
    ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ...(usage ? [new x509.ExtendedKeyUsageExtension([usages[usage]])] : []),
  ];
}

/** The library wants the last part of a subject first. */
const reversed = (subject: string): string => subject.split(',').reverse().join(',');

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
  return authorityOf(root, keys.privateKey);
}

/** Signs by the key of a certificate, also of one that is none of an authority. */
export async function signingAs({ certificatePem, keyPem }: IssuedCertificate): Promise<Authority> {
  const pkcs8 = Buffer.from(keyPem.replace(/-----[^-]+-----/g, ''), 'base64');
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
  return authorityOf(new x509.X509Certificate(certificatePem), key);
}

const authorityOf = (issuer: x509.X509Certificate, signingKey: webcrypto.CryptoKey): Authority => ({
  certificatePem: issuer.toString('pem'),
  async issue(names) {
    const leaf = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(names.ends),
      subject: reversed(
        names.subject ?? (names.hostnames[0] === undefined ? issuer.subject : `CN=${names.hostnames[0]}`),
      ),
      issuer: issuer.subject,
      publicKey: leaf.publicKey,
      signingKey,
      signingAlgorithm: algorithm,
      extensions: extensionsOf(names),
    });
    return { certificatePem: certificate.toString('pem'), keyPem: await keyPemOf(leaf) };
  },
});

/** A self-signed certificate (ECDSA P-256) whose common name is the first hostname. */
export async function issueCertificate(hostnames: readonly string[], days = usualDays): Promise<IssuedCertificate> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(new Date(Date.now() + days * dayMs)),
    name: `CN=${hostnames[0]}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: extensionsOf({ hostnames }),
  });
  return { certificatePem: certificate.toString('pem'), keyPem: await keyPemOf(keys) };
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const newKeys = () =>
  crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

const validity = (notAfter = new Date(Date.now() + usualDays * dayMs)) => ({
  serialNumber: randomBytes(16).toString('hex'),
  notBefore: new Date(Date.now() - dayMs),
  notAfter,
});

async function keyPemOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END PRIVATE KEY-----\n`;
}
