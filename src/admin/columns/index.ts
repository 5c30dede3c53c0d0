/**
 * How lists of the admin API read as tables, for programs that only ask it. A lighter face of the room: it loads no schema, no server and
 * nothing that answers. So a resource's `columns.ts` imports its record by `import type` only.
 */
import { accessColumns } from '../access/columns.ts';
import { backendColumns } from '../backends/columns.ts';
import { certificateColumns } from '../certificates/columns.ts';
import { gatewayColumns } from '../gateways/columns.ts';
import { ingressColumns } from '../ingresses/columns.ts';
import { listenerColumns } from '../listeners/columns.ts';
import { routeColumns } from '../routes/columns.ts';
import { serviceColumns } from '../service-catalog/columns.ts';
import type { Listing } from './listing.ts';

export { age } from './cells.ts';
export type { Column } from './column.ts';
export type { Listing, Named } from './listing.ts';

/** By the name of the list, in the plural, in the order in which users read the names. */
export const listings: Readonly<Record<string, Listing<unknown>>> = {
  gateways: gatewayColumns,
  listeners: listenerColumns,
  routes: routeColumns,
  ingresses: ingressColumns,
  backends: backendColumns,
  certificates: certificateColumns,
  services: serviceColumns,
  accesspolicies: accessColumns,
};
