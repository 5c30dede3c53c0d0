import { X509Certificate } from 'node:crypto';

/** The first certificate of a text in PEM; undefined if it begins with none. */
export function firstCertificate(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}
