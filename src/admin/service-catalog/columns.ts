import { column, several } from '../columns/column.ts';
import { listing } from '../columns/listing.ts';
import type { ServiceRecord } from './record.ts';

/** A line of `gatewright get services`. */
export const serviceColumns = listing<ServiceRecord>('service', '/v1/service-catalog', () => [
  column('namespace', ({ namespace }) => namespace),
  column('name', ({ name }) => name),
  column('type', ({ type }) => type),
  several('ports', ({ ports }) => ports.map(({ port, protocol }) => `${port}/${protocol}`)),
  column('ready', ({ endpoints }) => `${endpoints.ready}/${endpoints.total}`),
  column('routes', ({ referencedBy }) => String(referencedBy.length)),
]);
