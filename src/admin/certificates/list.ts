import { splitKey } from '../../gateway-api/index.ts';
import type { ListSpec } from '../http/index.ts';
import type { CertificateEntry } from './certificate-record.ts';

/** How the list of certificates is narrowed and ordered. Those that cannot be read come first by `notAfter`. */
export const certificateList: ListSpec<CertificateEntry> = {
  filters: {
    namespace: (value) => (entry) => splitKey(entry.key).namespace === value,
    name: (value) => (entry) => splitKey(entry.key).name === value,
    hostname: (value) => (entry) => entry.facts?.sans.includes(value) ?? false,
  },
  sorts: {
    namespace: ({ key }) => key.replace('/', '\u0000'),
    name: ({ key }) => splitKey(key).name,
    notAfter: ({ facts }) => facts?.notAfter.getTime() ?? 0,
  },
};
