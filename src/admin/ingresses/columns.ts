import { age } from '../columns/cells.ts';
import { column, several, wide } from '../columns/column.ts';
import { listing } from '../columns/listing.ts';
import type { IngressRecord } from './record.ts';

/** A line of `gatewright get ingresses`. */
export const ingressColumns = listing<IngressRecord>('ingress', '/v1/ingresses', (now) => [
  column('namespace', ({ namespace }) => namespace),
  column('name', ({ name }) => name),
  column('class', ({ class: its }) => its ?? ''),
  several('hosts', ({ hosts }) => hosts),
  several('address', ({ addresses }) => addresses),
  column('state', ({ state }) => state),
  wide('gateway', ({ gateway }) => gateway ?? ''),
  wide('age', ({ createdAt }) => age(createdAt, now)),
  column('message', ({ faults: [first] }) => (first ? `${first.reason}: ${first.message}` : '')),
]);
