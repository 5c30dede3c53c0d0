import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ObjectByKind } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { certificateBlocks, largestKey, longestChain } from './pem.ts';

/** A Secret's certificate and key as a proxy can use them, or why they cannot be used. */
export type CertificateCheck = { readonly secret: ir.Secret } | { readonly fault: string };

const checked = new WeakMap<object, CertificateCheck>();

/**
 * Checks what Envoy would reject or serve wrongly: both parts present, PEM that parses, a key that belongs to the
 * certificate and is of a kind that is served. Parsed once per stored object. An expired certificate is usable; it is reported elsewhere.
 */
export function checkCertificate(secret: ObjectByKind['Secret']): CertificateCheck {
  const known = checked.get(secret);
  if (known) return known;
  const result = check(secret);
  checked.set(secret, result);
  return result;
}

function check(secret: ObjectByKind['Secret']): CertificateCheck {
  const key = `${secret.metadata.namespace}/${secret.metadata.name}`;
  const { 'tls.crt': certificate, 'tls.key': privateKey } = secret.data ?? {};
  if (!certificate || !privateKey) {
    const missing = [!certificate && 'tls.crt', !privateKey && 'tls.key'].filter(Boolean).join(' and ');
    return {
      fault: `Secret ${key} has no ${missing}: it must hold a PEM certificate in tls.crt and its key in tls.key`,
    };
  }
  return usablePair(key, Buffer.from(certificate, 'base64'), Buffer.from(privateKey, 'base64'));
}

/**
 * PEM is read by one library here and by another one in the proxy, which is stricter: line ends, line lengths, text around
 * it and blocks beside the key are left behind by writing it again.
 */
function usablePair(key: string, certificateBytes: Buffer, keyBytes: Buffer): CertificateCheck {
  const blocks = certificateBlocks(certificateBytes.toString(), longestChain);
  if (blocks.length > longestChain)
    return {
      fault: `tls.crt of Secret ${key} has more than ${longestChain} certificates: leave out what is not of the chain`,
    };
  const chain = readChain(blocks);
  const [leaf] = chain ?? [];
  if (!chain || !leaf) return { fault: `tls.crt of Secret ${key} is not a PEM certificate` };
  const fault = keyFault(key, leaf);
  if (fault) return { fault };
  if (keyBytes.length > largestKey) return { fault: `tls.key of Secret ${key} is larger than ${largestKey} bytes` };
  const privateKey = readKey(keyBytes);
  if (!privateKey) return { fault: `tls.key of Secret ${key} is not a PEM private key` };
  if (!leaf.checkPrivateKey(privateKey)) {
    return {
      fault: `tls.key of Secret ${key} does not belong to the certificate in tls.crt: put the pair that was issued together`,
    };
  }
  const certificateChain = Buffer.from(chain.map(String).join(''));
  const canonicalKey = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return {
    secret: { key, certificateChain: new ir.Sensitive(certificateChain), privateKey: new ir.Sensitive(canonicalKey) },
  };
}

/** Every certificate of the chain: one that cannot be read has the proxy reject them all. */
function readChain(blocks: readonly string[]): X509Certificate[] | undefined {
  try {
    return blocks.map((text) => new X509Certificate(text));
  } catch {
    return undefined;
  }
}

function readKey(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

export const leastRsaBits = 2048;
/** One handshake with 16384 bits takes a proxy most of a second, of all its connections. */
export const mostRsaBits = 8192;
/** P-256, P-384 and P-521, as OpenSSL calls them. */
const curves: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];

/** Keys that the proxy serves no TLS with. */
function keyFault(key: string, leaf: X509Certificate): string | undefined {
  const publicKey = publicKeyOf(leaf);
  if (!publicKey) return `the certificate in Secret ${key} has a public key that cannot be read`;
  const { asymmetricKeyType: type = 'unknown', asymmetricKeyDetails: details } = publicKey;
  const { modulusLength = 0, namedCurve } = details ?? {};
  if (!['rsa', 'ec', 'ed25519'].includes(type))
    return `the certificate in Secret ${key} has a key of type ${type}: use RSA, ECDSA or Ed25519`;
  if (type === 'rsa' && modulusLength < leastRsaBits)
    return `the certificate in Secret ${key} has an RSA key of ${modulusLength} bits: it needs ${leastRsaBits} or more`;
  if (type === 'rsa' && modulusLength > mostRsaBits)
    return `the certificate in Secret ${key} has an RSA key of ${modulusLength} bits: it may have ${mostRsaBits}`;
  if (type === 'ec' && !curves.includes(namedCurve))
    return `the certificate in Secret ${key} has an EC key on curve ${namedCurve}: use P-256, P-384 or P-521`;
  return undefined;
}

/** Read when it is asked for: a certificate is one whatever its key is. */
function publicKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    return undefined;
  }
}
