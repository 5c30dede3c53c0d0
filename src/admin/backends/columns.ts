import { column } from '../columns/column.ts';
import { listing } from '../columns/listing.ts';
import type { BackendRecord } from './record.ts';

/** A line of `gatewright get backends`. */
export const backendColumns = listing<BackendRecord>('backend', '/v1/backends', () => [
  column('namespace', ({ namespace }) => namespace),
  column('name', ({ name }) => name),
  column('protocol', ({ protocol, tls }) => (tls ? `${protocol}+tls` : protocol)),
  column('healthy', ({ endpoints }) => `${endpoints.filter(({ healthy }) => healthy).length}/${endpoints.length}`),
  column('routes', ({ referencedBy }) => String(referencedBy.length)),
  column('message', ({ problem }) => problem ?? ''),
]);
