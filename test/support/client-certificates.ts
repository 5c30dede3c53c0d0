import 'reflect-metadata';
import { randomBytes, type webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** What a test's certificate says. What is left out, it does not have. */
export interface ClientNames {
  /** As in RFC 2253. */
  readonly subject?: string;
  readonly dns?: readonly string[];
  readonly uris?: readonly string[];
  readonly emails?: readonly string[];
  readonly ips?: readonly string[];
  /** In a day by default. */
  readonly ends?: Date;
  /** Default: clients and servers alike. */
  readonly usage?: 'serverAuth' | 'clientAuth';
}

export interface ClientCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** In hexadecimal. */
  readonly serialNumber: string;
}

/** An authority of clients, with lists of what it revoked. */
export interface ClientAuthority {
  readonly certificatePem: string;
  issue(names?: ClientNames): Promise<ClientCertificate>;
  /** A list in PEM, which ends in a day by default. */
  revocations(revoked?: readonly ClientCertificate[], ends?: Date): Promise<string>;
}

const dayMs = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const usages = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

const newKeys = () =>
  crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

const serial = (): string => `1${randomBytes(15).toString('hex')}`;

async function pemOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END PRIVATE KEY-----\n`;
}

function extensionsOf({ dns = [], uris = [], emails = [], ips = [], usage }: ClientNames): x509.Extension[] {
  const names = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
    ...emails.map((value) => ({ type: 'email' as const, value })),
    ...ips.map((value) => ({ type: 'ip' as const, value })),
  ];
  return [
    ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ...(usage ? [new x509.ExtendedKeyUsageExtension([usages[usage]])] : []),
  ];
}

export async function createClientAuthority(name: string): Promise<ClientAuthority> {
  const keys = await newKeys();
  const begins = new Date(Date.now() - 10 * dayMs);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    notBefore: begins,
    notAfter: new Date(Date.now() + 10 * dayMs),
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    certificatePem: root.toString('pem'),
    async issue(names = {}) {
      const leaf = await newKeys();
      const serialNumber = serial();
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber,
        notBefore: begins,
        notAfter: names.ends ?? new Date(Date.now() + dayMs),
        // RFC 2253 has the last part first.
        subject: (names.subject ?? '').split(',').reverse().join(','),
        issuer: root.subject,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: extensionsOf(names),
      });
      return { certificatePem: certificate.toString('pem'), keyPem: await pemOf(leaf), serialNumber };
    },
    async revocations(revoked = [], ends = new Date(Date.now() + dayMs)) {
      const list = await x509.X509CrlGenerator.create({
        issuer: root.subject,
        thisUpdate: begins,
        nextUpdate: ends,
        entries: revoked.map(({ serialNumber }) => ({ serialNumber, revocationDate: begins })),
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
      });
      return list.toString('pem');
    },
  };
}
