import { isIP } from 'node:net';
import * as ir from '../../../ir/index.ts';
import { quoted, type ResolvedPart, type Spec, unlessInvalid } from './part.ts';

type CertificatesSpec = NonNullable<Spec['clientCertificates']>;
type NameSpec = NonNullable<CertificatesSpec['names']>[number];

const dnsLabel = '[A-Za-z0-9_-]+';
const dnsName = /^(\*\.)?[A-Za-z0-9_]([-A-Za-z0-9_]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([-A-Za-z0-9_]*[A-Za-z0-9_])?)*$/;
const uriText = /^[A-Za-z][-+.A-Za-z0-9]*:[!-~]+$/;
const emailText = /^[!-?A-~]+@[-.A-Za-z0-9]+$/;
/** As proxies write it: types without spaces around `=` and `,`. Another form would never match. */
const subjectText = /^[A-Za-z0-9.]+=[ -~]*$/;

export const resolveClientCertificates = (spec: CertificatesSpec): ResolvedPart<ir.ClientCertificates> =>
  unlessInvalid(certificateFaults('clientCertificates', spec), () => certificatesOf(spec));

/** What is wrong with a demand, by the field that it is in. */
export function certificateFaults(field: string, spec: CertificatesSpec | undefined): string[] {
  if (!spec) return [];
  const { names, required } = spec;
  if ((names === undefined) === (required !== true)) return [`${field}: set names, or required: true`];
  if (names?.length === 0) return [`${field}.names: name one`];
  return (names ?? []).flatMap((name, index) => {
    const fault = nameFault(name);
    return fault === undefined ? [] : [`${field}.names[${index}]: ${fault}`];
  });
}

function nameFault({ dns, uri, email, ip, subject }: NameSpec): string | undefined {
  if ([dns, uri, email, ip, subject].filter((name) => name !== undefined).length !== 1)
    return 'set exactly one of dns, uri, email, ip and subject';
  if (dns !== undefined)
    return dnsName.test(dns) ? undefined : `${quoted(dns)} is not a DNS name, with *. in front or not`;
  if (uri !== undefined) return uriText.test(uri) ? undefined : `${quoted(uri)} is not a URI`;
  if (email !== undefined) return emailText.test(email) ? undefined : `${quoted(email)} is not an email address`;
  if (ip !== undefined) return isAddress(ip) ? undefined : `${quoted(ip)} is not an IP address`;
  if (subjectText.test(subject ?? '') && !/(^|[^\\]), |, *[A-Za-z0-9.]+ =/.test(subject ?? '')) return undefined;
  return `${quoted(subject ?? '')} is not how proxies read a subject: write it as \`openssl x509 -noout -subject -nameopt RFC2253\` does, such as CN=alice,O=Corp`;
}

/** Without fault. */
export const certificatesOf = ({ names }: CertificatesSpec): ir.ClientCertificates => ({
  ...(names && { names: names.map(nameOf) }),
});

function nameOf({ dns, uri, email, ip, subject = '' }: NameSpec): ir.CertificateName {
  if (dns !== undefined) return { kind: 'dns', match: { kind: 'regex', value: dnsPattern(dns) } };
  if (email !== undefined) return { kind: 'email', match: { kind: 'exact', value: email } };
  if (ip !== undefined) return { kind: 'ip', match: { kind: 'exact', value: canonical(ip) } };
  if (uri === undefined) return { kind: 'subject', match: { kind: 'exact', value: subject } };
  if (!uri.endsWith('/*')) return { kind: 'uri', match: { kind: 'exact', value: uri } };
  return { kind: 'uri', match: { kind: 'regex', value: `${ir.literalPattern(uri.slice(0, -1))}[!-~]+` } };
}

/** Not an IPv4 address in the clothes of IPv6, which proxies write in another form. */
const isAddress = (text: string): boolean =>
  isIP(text) === 4 || (isIP(text) === 6 && !/[.%]/.test(text) && !/^(0*:)*:?ffff:/i.test(text));

/** As proxies write an address of a certificate. The URL parser does, too (RFC 5952). */
const canonical = (ip: string): string => (isIP(ip) === 6 ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip);

/** A wildcard in a certificate stands for servers: it is no name of a client, and none below a domain. */
function dnsPattern(name: string): string {
  const wildcard = name.startsWith('*.');
  const literal = ir.literalPattern(wildcard ? name.slice(1) : name);
  return `(?i)${wildcard ? `${dnsLabel}(\\.${dnsLabel})*` : ''}${literal}`;
}
