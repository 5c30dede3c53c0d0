import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServingCertificate } from '../../xds/index.ts';
import { IdentityError } from './identity-error.ts';

/** Absolute paths, by the keys of `xds.tls`. */
export interface CertificatePaths {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCAFile?: string | undefined;
}

/** The serving certificate that files hold. Throws IdentityError when one of them, or the two together, cannot be used. */
export function readServing({ certFile, keyFile, clientCAFile }: CertificatePaths): ServingCertificate {
  const certificate = readText('certFile', certFile);
  const [leaf] = parseAll('certFile', certFile, certificate);
  const key = readText('keyFile', keyFile);
  if (!belongs(leaf!, key)) {
    throw new IdentityError(
      `xds.tls.keyFile: ${keyFile} has no private key that belongs to the certificate of ${certFile}`,
    );
  }
  const clientAuthorities = clientCAFile === undefined ? undefined : readBundle('clientCAFile', clientCAFile);
  return { certificate, key, clientAuthorities };
}

/** A bundle of authorities that a file holds. Throws IdentityError when it cannot be used. */
export function readBundle(key: 'caFile' | 'clientCAFile', path: string): string {
  const text = readText(key, path);
  parseAll(key, path, text);
  return text;
}

function readText(key: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new IdentityError(`xds.tls.${key}: ${path} cannot be read (${code}); create it or correct the path`, {
      cause,
    });
  }
}

function parseAll(key: string, path: string, text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length === 0) throw new Error('there is none');
    return blocks.map((block) => new X509Certificate(block));
  } catch (cause) {
    throw new IdentityError(`xds.tls.${key}: ${path} holds no certificates in PEM; write them into it`, { cause });
  }
}

function belongs(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
