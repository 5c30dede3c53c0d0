import { type Holder, holders } from './certificates.ts';
import type { Policy } from './world.ts';

type Certificates = NonNullable<Policy['spec']['clientCertificates']>;
type Name = NonNullable<Certificates['names']>[number];

/** A subject that no proxy writes so. */
export const badSubject = 'O = Corp, CN = alice';

export const areNames = ({ names = [] }: Certificates): boolean => names.every(({ subject }) => subject !== badSubject);

interface Says {
  readonly subject: string;
  readonly dns: readonly string[];
  readonly uris: readonly string[];
}

/** Whether a client holds a certificate that is verified and has one of the names. */
export function isHeld({ names }: Certificates, holder: Holder | undefined): boolean {
  if (holder === undefined || !(holder in holders)) return false;
  const says: Says = { subject: '', dns: [], uris: [], ...holders[holder as keyof typeof holders] };
  return names === undefined || names.some((name) => isName(name, says));
}

function isName({ dns, uri, subject }: Name, says: Says): boolean {
  if (dns !== undefined) return says.dns.some((name) => isDns(dns.toLowerCase(), name.toLowerCase()));
  if (uri !== undefined)
    return says.uris.some((name) => (uri.endsWith('/*') ? name.startsWith(uri.slice(0, -1)) : name === uri));
  return says.subject === subject;
}

/** A wildcard in a certificate is no name below a domain. */
const isDns = (wanted: string, name: string): boolean =>
  wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) && !name.startsWith('*') : name === wanted;
