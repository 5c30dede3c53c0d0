import { parseObjectKey } from '../../gateway-api/index.ts';
import { firstNames } from '../../std/index.ts';
import { certificateState, daysLeft } from '../certificates/certificate-state.ts';
import { type CertificateEntry, listCertificates } from '../certificates/list-certificates.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

export function* ofCertificates(sources: Pick<AdminSources, 'graph' | 'now'>): Generator<Finding> {
  const now = sources.now();
  for (const entry of listCertificates(sources)) {
    const found = certificateFinding(entry, now);
    if (found) yield found;
  }
}

const codes = {
  missing: 'certificate_missing',
  unusable: 'certificate_unusable',
  expired: 'certificate_expired',
  'not-yet-valid': 'certificate_not_yet_valid',
  expiring: 'certificate_expiring',
} as const;

/** Undefined for one that is valid for long. */
function certificateFinding(entry: CertificateEntry, now: Date): Finding | undefined {
  const state = certificateState(entry, now);
  if (state === 'valid') return undefined;
  // Conditions of its users say it.
  if (entry.kind !== 'Secret' && entry.facts === undefined) return undefined;
  const { facts } = entry;
  const since = { expired: facts?.notAfter, 'not-yet-valid': undefined, expiring: undefined }[state as 'expired'];
  return {
    code: codes[state],
    object: holderOf(entry),
    message: `${certificateText(entry, now)}${usersText(entry)}`,
    since,
  };
}

/** What a problem of it is about: authorities are called by what holds them. */
export const holderOf = ({ kind, key }: Pick<CertificateEntry, 'kind' | 'key'>): Finding['object'] => ({
  kind: kind === 'Secret' ? 'Certificate' : kind,
  ...parseObjectKey(key),
});

/** `ended 661 days ago (2025-01-31)`, `ends in 9 days (…)`, `is missing`, `an authority in it ends in 9 days (…)` */
export const certificateText = (entry: CertificateEntry, now: Date): string =>
  `${entry.kind === 'Secret' ? '' : 'an authority in it '}${stateText(entry, now)}`;

function stateText(entry: CertificateEntry, now: Date): string {
  const state = certificateState(entry, now);
  const { facts } = entry;
  if (state === 'missing') return 'is missing: there is no such Secret';
  if (facts === undefined || state === 'unusable') return 'cannot be used';
  if (state === 'not-yet-valid') return `is not valid before ${dateText(facts.notBefore)}`;
  const days = daysLeft(facts, now);
  if (state === 'expired') return `ended ${dayText(-days - 1)} (${dateText(facts.notAfter)})`;
  return `ends ${days === 0 ? 'within a day' : `in ${days} day${days === 1 ? '' : 's'}`} (${dateText(facts.notAfter)})`;
}

const dayText = (days: number): string => (days === 0 ? 'today' : days === 1 ? '1 day ago' : `${days} days ago`);

const dateText = (moment: Date): string => moment.toISOString().slice(0, 10);

const mostNamed = 5;

function usersText({ usedBy }: CertificateEntry): string {
  if (usedBy.length === 0) return '; nothing uses it';
  const names = usedBy.map(({ name }) => name);
  return `; used by ${firstNames(names, mostNamed)}`;
}
