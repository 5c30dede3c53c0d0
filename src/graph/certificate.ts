import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ObjectByKind } from '../gateway-api/index.ts';
import * as ir from '../ir/index.ts';

/** A Secret's certificate and key as a proxy can use them, or why they cannot be used. */
export type CertificateCheck = { readonly secret: ir.Secret } | { readonly fault: string };

const checked = new WeakMap<object, CertificateCheck>();

/**
 * Checks what Envoy would refuse or serve wrongly: both parts present, PEM that parses, and a key that belongs to the
 * certificate. Parsed once per stored object. An expired certificate is usable; it is reported elsewhere.
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
  const chain = Buffer.from(certificate, 'base64');
  const keyBytes = Buffer.from(privateKey, 'base64');
  const fault = mismatch(key, chain, keyBytes);
  if (fault) return { fault };
  return { secret: { key, certificateChain: new ir.Sensitive(chain), privateKey: new ir.Sensitive(keyBytes) } };
}

function mismatch(key: string, chain: Buffer, keyBytes: Buffer): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(chain);
  } catch {
    return `tls.crt of Secret ${key} is not a PEM certificate`;
  }
  try {
    if (certificate.checkPrivateKey(createPrivateKey(keyBytes))) return undefined;
  } catch {
    return `tls.key of Secret ${key} is not a PEM private key`;
  }
  return `tls.key of Secret ${key} does not belong to the certificate in tls.crt: put the pair that was issued together`;
}
