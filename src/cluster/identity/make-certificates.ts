import 'reflect-metadata';
import { createPrivateKey, randomBytes, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { type Authority, type IssuedCertificate, type IssueOptions, readAuthority } from './authority.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** Of clocks that differ between machines. */
const skewMs = 5 * 60_000;

/**
 * A new authority (ECDSA P-256). Its name is its own, so that a certificate of a former one is reported as from an unknown
 * authority and not to have a wrong signature.
 */
export async function makeAuthority(now: Date, lifetimeMs: number): Promise<Authority> {
  const keys = await newKeys();
  const validity = { notBefore: new Date(now.getTime() - skewMs), notAfter: new Date(now.getTime() + lifetimeMs) };
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: serialNumber(),
    name: `CN=gatewright xDS ${randomBytes(4).toString('hex')}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return readAuthority(certificate.toString('pem'), await keyPem(keys));
}

/** A server's certificate, with a new key. */
export async function makeServing(authority: Authority, options: IssueOptions): Promise<IssuedCertificate> {
  const { hosts, now, lifetimeMs } = options;
  const [issuer, keys] = [new X509Certificate(authority.certificate), await newKeys()];
  const notAfter = new Date(Math.min(now.getTime() + lifetimeMs, authority.notAfter.getTime()));
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=gatewright xDS server',
    issuer: issuer.subject,
    notBefore: new Date(Math.max(now.getTime() - skewMs, authority.notBefore.getTime())),
    notAfter,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority),
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(hosts.map(generalName)),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await keyPem(keys), notAfter };
}

const generalName = (value: string): JsonGeneralName => ({ type: isIP(value) ? 'ip' : 'dns', value });

const newKeys = () =>
  crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

function signingKey({ key }: Authority): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return crypto.subtle.importKey('pkcs8', new Uint8Array(der), algorithm, false, ['sign']);
}

async function keyPem({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Positive, and without a leading zero byte (RFC 5280, 4.1.2.2). */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return bytes.toString('hex');
}
