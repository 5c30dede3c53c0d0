import { worstMessage } from '../columns/cells.ts';
import { column, several, wide } from '../columns/column.ts';
import { listing } from '../columns/listing.ts';
import type { GatewayRecord } from './record.ts';

/** A line of `gatewright get gateways`. */
export const gatewayColumns = listing<GatewayRecord>('gateway', '/v1/gateways', () => [
  column('namespace', ({ namespace }) => namespace),
  column('name', ({ name }) => name),
  wide('class', ({ gatewayClass }) => gatewayClass),
  several('address', ({ addresses }) => addresses.map(({ value }) => value)),
  several('listeners', ({ listeners }) => listeners.map(({ protocol, port }) => `${protocol}/${port}`)),
  column('programmed', ({ conditions }) => conditions.find(({ type }) => type === 'Programmed')?.status ?? ''),
  wide('data planes', ({ clients }) => String(clients.length)),
  column('message', ({ conditions }) => worstMessage(conditions)),
]);
