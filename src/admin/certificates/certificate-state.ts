import type { CertificateFacts } from './certificate-facts.ts';
import type { CertificateEntry } from './list-certificates.ts';
import type { CertificateRecord } from './record.ts';

/** A certificate that ends within this many days counts as expiring; one that has ended does too. */
export const expiryWarningDays = 30;

const dayMs = 86_400_000;

/** Whole days until it ends, rounded down: -1 on the day after its end. */
export const daysLeft = ({ notAfter }: Pick<CertificateFacts, 'notAfter'>, now: Date): number =>
  Math.floor((notAfter.getTime() - now.getTime()) / dayMs);

/** How the certificate fares. `missing`: there is no Secret; `unusable`: there is one, and it is not served. */
export function certificateState(
  { facts, exists }: Pick<CertificateEntry, 'facts' | 'exists'>,
  now: Date,
): CertificateRecord['state'] {
  if (facts === undefined) return exists ? 'unusable' : 'missing';
  if (facts.notBefore > now) return 'not-yet-valid';
  if (facts.notAfter <= now) return 'expired';
  return facts.notAfter.getTime() <= now.getTime() + expiryWarningDays * dayMs ? 'expiring' : 'valid';
}
