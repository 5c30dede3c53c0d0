import 'reflect-metadata';
import { createPrivateKey, randomBytes, type webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { TestCertificate } from './certificates.ts';

export interface KeyAlgorithm {
  readonly name: string;
  readonly namedCurve?: string;
  readonly modulusLength?: number;
}

const dayMs = 86_400_000;

/** A self-signed certificate for `sound.test` with a key of this kind, which ended `expiredDays` ago if that is given. */
export async function certificateOf(algorithm: KeyAlgorithm, expiredDays?: number): Promise<TestCertificate> {
  const full = { ...algorithm, hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]) };
  const keys = (await crypto.subtle.generateKey(full, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const ends = expiredDays === undefined ? Date.now() + 30 * dayMs : Date.now() - expiredDays * dayMs;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(16).toString('hex'),
    notBefore: new Date(ends - 60 * dayMs),
    notAfter: new Date(ends),
    name: 'CN=sound.test',
    keys,
    signingAlgorithm: full,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'sound.test' }])],
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return { certificate: certificate.toString('pem'), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

export const ecdsa: KeyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' };
const rsa = (modulusLength: number): KeyAlgorithm => ({ name: 'RSASSA-PKCS1-v1_5', modulusLength });

/** Of the first certificate of a chain, however it is written. */
export const fingerprintOf = (pem: string): string => {
  const [first = pem] = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/.exec(pem) ?? [];
  return new X509Certificate(first).fingerprint256;
};

const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';

/** Pairs that are good, in spellings that trip up those who read PEM by the letter. */
export async function oddButGood(): Promise<Readonly<Record<string, TestCertificate>>> {
  const plain = () => certificateOf(ecdsa);
  const crlf = await plain();
  const sec1 = await plain();
  const lines = await plain();
  const around = await plain();
  const pkcs1 = await certificateOf(rsa(2048));
  const [leaf, other] = [await plain(), await plain()];
  const text = (pem: string) => `a line of text\n${pem}\nand one behind it\n`;
  const short = (pem: string) => pem.replace(/^([A-Za-z0-9+/=]{40})(.+)$/gm, '$1\n$2');
  return {
    CRLF: { certificate: crlf.certificate.replace(/\r?\n/g, '\r\n'), key: crlf.key.replace(/\n/g, '\r\n') },
    'EC PARAMETERS before the key': {
      ...sec1,
      key: parameters + createPrivateKey(sec1.key).export({ type: 'sec1', format: 'pem' }),
    },
    'lines of odd lengths': { certificate: short(lines.certificate), key: short(lines.key) },
    'text around the blocks': { certificate: text(around.certificate), key: text(around.key) },
    'PKCS #1': { ...pkcs1, key: createPrivateKey(pkcs1.key).export({ type: 'pkcs1', format: 'pem' }).toString() },
    'a chain without a line break between': { ...leaf, certificate: leaf.certificate.trim() + other.certificate },
    expired: await certificateOf(ecdsa, 1),
    'P-384': await certificateOf({ name: 'ECDSA', namedCurve: 'P-384' }),
  };
}

/** The certificate with another algorithm of its public key, in hexadecimal; by default one that does not exist. */
function spoilt({ certificate }: TestCertificate, algorithm: string, other = algorithm.replace(/..$/, '7f')): string {
  const { raw } = new X509Certificate(certificate);
  const at = raw.indexOf(Buffer.from(algorithm, 'hex'));
  const bytes = Buffer.concat([raw.subarray(0, at), Buffer.from(other, 'hex'), raw.subarray(at + other.length / 2)]);
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

/** Pairs that a proxy cannot serve with, and what is wrong with each. */
export async function unusable(): Promise<Readonly<Record<string, TestCertificate & { readonly says: RegExp }>>> {
  const [one, other] = [await certificateOf(ecdsa), await certificateOf(ecdsa)];
  const encrypted = createPrivateKey(one.key)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
    .toString();
  const big = await certificateOf(rsa(2048));
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  return {
    'the key of another': { ...one, key: other.key, says: /does not belong/ },
    'an encrypted key': { ...one, key: encrypted, says: /not a PEM private key/ },
    'no PEM': { ...one, certificate: 'garbage', says: /not a PEM certificate/ },
    DER: {
      ...one,
      certificate: new X509Certificate(one.certificate).raw.toString('latin1'),
      says: /not a PEM certificate/,
    },
    'a chain that breaks off': { ...one, certificate: `${one.certificate}\n${broken}`, says: /not a PEM certificate/ },
    'RSA with 1024 bits': { ...(await certificateOf(rsa(1024))), says: /RSA key of 1024 bits/ },
    'a public key that none can read': { ...one, certificate: spoilt(one, '2a8648ce3d0201'), says: /cannot be read/ },
    'a public key for RSASSA-PSS only': {
      ...big,
      certificate: spoilt(big, '2a864886f70d010101', '2a864886f70d01010a'),
      says: /of type rsa-pss|cannot be read/,
    },
    'a key in the place of the certificate': { ...one, certificate: one.key, says: /not a PEM certificate/ },
  };
}
