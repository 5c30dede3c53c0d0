import { age, worstMessage, yesNo } from '../columns/cells.ts';
import { column, several, wide } from '../columns/column.ts';
import { listing } from '../columns/listing.ts';
import type { RouteRecord } from './record.ts';

/** A line of `gatewright get routes`. */
export const routeColumns = listing<RouteRecord>('route', '/v1/routes', (now) => [
  column('kind', ({ kind }) => kind),
  column('namespace', ({ namespace }) => namespace),
  column('name', ({ name }) => name),
  several('hostnames', ({ hostnames }) => hostnames),
  column('accepted', ({ accepted }) => yesNo(accepted)),
  column('resolved', ({ resolvedRefs }) => yesNo(resolvedRefs)),
  wide('age', ({ createdAt }) => age(createdAt, now)),
  column('message', ({ parents }) => worstMessage(parents.flatMap(({ conditions }) => conditions))),
]);
