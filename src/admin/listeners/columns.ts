import { worstMessage, yesNo } from '../columns/cells.ts';
import { column } from '../columns/column.ts';
import { listing } from '../columns/listing.ts';
import type { ListenerRecord } from './record.ts';

/** A line of `gatewright get listeners`. */
export const listenerColumns = listing<ListenerRecord>('listener', '/v1/listeners', () => [
  column('name', ({ name }) => name),
  column('protocol', ({ protocol }) => protocol),
  column('port', ({ port }) => String(port)),
  column('hostname', ({ hostname }) => hostname ?? '*'),
  column('routes', ({ attachedRoutes }) => String(attachedRoutes)),
  column('programmed', ({ programmed }) => yesNo(programmed)),
  column('message', ({ conditions }) => worstMessage(conditions)),
]);
