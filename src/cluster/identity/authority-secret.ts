import { createHash } from 'node:crypto';
import type { KubernetesObject } from '../../gateway-api/index.ts';
import { type Authority, readAuthority } from './authority.ts';
import { bundleOf } from './authority-set.ts';

/** A Secret as the API server has it. */
export interface Secret extends KubernetesObject {
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
}

const suffix = { certificate: '.ca.crt', key: '.ca.key' } as const;

/**
 * The Secret's data: `NAME.ca.crt` and `NAME.ca.key` of each authority, and `ca.crt` with all certificates for people and
 * tools. Not `tls.crt` and `tls.key`, so that no listener can be pointed at an authority's key.
 */
export function secretData(authorities: readonly Authority[]): Record<string, string> {
  const entries = authorities.flatMap(({ certificate, key }) => {
    const name = createHash('sha256').update(certificate).digest('hex').slice(0, 12);
    return [
      [`${name}${suffix.certificate}`, certificate],
      [`${name}${suffix.key}`, key],
    ] as const;
  });
  return Object.fromEntries(
    [...entries, ['ca.crt', bundleOf(authorities)] as const].map(([name, text]) => [name, base64(text)]),
  );
}

/** The authorities of a Secret; none if it is empty. Throws, with what is wrong, when it holds anything else. */
export function authoritiesOf({ data = {} }: Secret): Authority[] {
  const names = Object.keys(data);
  const certificates = names.filter((name) => name.endsWith(suffix.certificate));
  if (certificates.length === 0 && names.length > 0) throw new Error(`it holds ${names.join(', ')}`);
  return certificates.map((file) => {
    const key = data[file.slice(0, -suffix.certificate.length) + suffix.key];
    if (key === undefined) throw new Error(`${file} is without its key`);
    try {
      return readAuthority(textOf(data[file]!), textOf(key));
    } catch (cause) {
      throw new Error(`${file} cannot be used: ${(cause as Error).message}`, { cause });
    }
  });
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const textOf = (data: string): string => Buffer.from(data, 'base64').toString('utf8');
