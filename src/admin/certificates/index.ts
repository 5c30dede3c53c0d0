import { splitKey } from '../../gateway-api/index.ts';
import { resource } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { expiryWarningDays } from '../summary/summarize.ts';
import { type CertificateFacts, shownFacts } from './certificate-facts.ts';
import { type CertificateEntry, listCertificates } from './list-certificates.ts';
import { type CertificateRecord, certificateUse } from './record.ts';

/** `/v1/certificates`: every certificate with the days it has left and who uses it. */
export const certificates = resource({
  path: '/v1/certificates',
  summary: 'Certificates with the days they have left and who uses them',
  record: certificateUse,
  list: {
    entries: (sources: AdminSources) => listCertificates(sources),
    filters: {
      namespace: (value) => (entry) => splitKey(entry.key).namespace === value,
      name: (value) => (entry) => splitKey(entry.key).name === value,
      hostname: (value) => (entry) => entry.facts?.sans.includes(value) ?? false,
    },
    sorts: {
      namespace: ({ key }) => key.replace('/', '\u0000'),
      name: ({ key }) => splitKey(key).name,
      // Those that cannot be read come first.
      notAfter: ({ facts }) => facts?.notAfter.getTime() ?? 0,
    },
  },
  present({ now }) {
    const moment = now();
    return (entry) => toRecord(entry, moment);
  },
});

const dayMs = 86_400_000;

const toRecord = ({ key, facts, usedBy }: CertificateEntry, now: Date): CertificateRecord => ({
  ...splitKey(key),
  ...shownFacts(facts),
  daysLeft: facts ? Math.floor((facts.notAfter.getTime() - now.getTime()) / dayMs) : null,
  state: stateOf(facts, now),
  usedBy,
});

function stateOf(facts: CertificateFacts | undefined, now: Date): CertificateRecord['state'] {
  if (facts === undefined) return 'unusable';
  if (facts.notBefore > now) return 'not-yet-valid';
  if (facts.notAfter <= now) return 'expired';
  return facts.notAfter.getTime() <= now.getTime() + expiryWarningDays * dayMs ? 'expiring' : 'valid';
}
