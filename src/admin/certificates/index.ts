import { parseObjectKey } from '../../gateway-api/index.ts';
import { resource } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { shownFacts } from './certificate-facts.ts';
import { certificateState, daysLeft } from './certificate-state.ts';
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
      namespace: (value) => (entry) => parseObjectKey(entry.key).namespace === value,
      name: (value) => (entry) => parseObjectKey(entry.key).name === value,
      hostname: (value) => (entry) => entry.facts?.sans.includes(value) ?? false,
    },
    sorts: {
      namespace: ({ key }) => key.replace('/', '\u0000'),
      name: ({ key }) => parseObjectKey(key).name,
      // Those that cannot be read come first.
      notAfter: ({ facts }) => facts?.notAfter.getTime() ?? 0,
    },
  },
  present({ now }) {
    const moment = now();
    return (entry) => toRecord(entry, moment);
  },
});

const toRecord = ({ kind, key, facts, exists, usedBy }: CertificateEntry, now: Date): CertificateRecord => ({
  kind,
  ...parseObjectKey(key),
  ...shownFacts(facts),
  daysLeft: facts ? daysLeft(facts, now) : null,
  state: certificateState({ facts, exists }, now),
  usedBy,
});
