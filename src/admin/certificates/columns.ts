import { column, several } from '../columns/column.ts';
import { listing } from '../columns/listing.ts';
import type { CertificateRecord } from './record.ts';

/** A line of `gatewright get certificates`. */
export const certificateColumns = listing<CertificateRecord>('certificate', '/v1/certificates', () => [
  column('namespace', ({ namespace }) => namespace),
  column('name', ({ name }) => name),
  column('kind', ({ kind }) => kind),
  column('state', ({ state }) => state),
  column('days left', ({ daysLeft }) => (daysLeft === null ? '' : String(daysLeft))),
  several('names', ({ sans }) => sans ?? []),
  several('used by', ({ usedBy }) => usedBy.map(({ kind, name }) => `${kind} ${name}`)),
]);
