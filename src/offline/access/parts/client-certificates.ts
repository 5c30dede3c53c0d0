import type * as ir from '../../../ir/index.ts';
import type { Presented, PresentedCertificate } from '../presented.ts';
import { matchesText } from '../text-match.ts';
import { denies, passes, quoted, type Verdict } from '../verdict.ts';

export function judgeClientCertificates(demanded: ir.ClientCertificates, { certificate }: Presented): Verdict {
  if (!certificate) return denies(403, 'the client shows no certificate that the listener verified');
  const name = fittingName(demanded, certificate);
  if (name !== undefined) return passes(`the certificate ${name}`);
  const { dns, uris, emails, ips, subject } = certificate;
  const shown =
    [...dns, ...uris, ...emails, ...ips, ...(subject === '' ? [] : [subject])].map(quoted).join(', ') ||
    'without a name';
  return denies(403, `the certificate, ${shown}, has none of the names that may come in`);
}

/** How a certificate is one of those that are demanded; undefined: it is not. */
export function fittingName(
  { names }: ir.ClientCertificates,
  certificate: PresentedCertificate | undefined,
): string | undefined {
  if (!certificate) return undefined;
  if (!names) return 'was verified by the listener';
  for (const name of names) {
    const fitting = textsOf(name, certificate).find((text) => matchesText(name.match, text));
    if (fitting !== undefined) return `is of ${quoted(fitting)}`;
  }
  return undefined;
}

/** A subject that is among the alternative names too could be either, and is not taken. */
function textsOf({ kind, match }: ir.CertificateName, certificate: PresentedCertificate): readonly string[] {
  const { dns, uris, emails, ips, subject } = certificate;
  if (kind === 'dns') return dns;
  if (kind === 'uri') return uris;
  if (kind === 'email') return emails;
  if (kind === 'ip') return ips;
  return [...dns, ...uris].includes(match.value) ? [] : [subject];
}
