import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { FilterConfigSchema, packAny } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { steadySlots } from '../filters/index.ts';
import { chainName } from '../resource/index.ts';

/*
 * Where requests of some route wait, `auth` has all of its slots, more than eighty filters, and each costs every request that meets it. So hosts whose
 * requests do not wait there meet `base`: what the table itself demands, what is for all of its routes, and the slots that such hosts fill. It may be
 * replaced at any time. Connection managers have `base` switched off and `auth` on, so a request whose route is found late meets `auth`, which has the slots
 * of all hosts. Exact scopes say otherwise of their hosts, whether requests of others wait or not: so no scope is sent again when one begins to.
 */

const off = packAny(FilterConfigSchema, create(FilterConfigSchema, { disabled: true }));
/** Envoy takes a configuration that is empty for one that switches the filter on. */
const on = packAny(FilterConfigSchema, create(FilterConfigSchema, { config: {} }));

/** Whether requests to an exact host whose routes fill these slots meet `base`: no other request is sent on by a fallthrough, or waits before its route is chosen. */
export const inBase = ({ preRoutingAuth }: ir.VirtualHost, slots: Iterable<string>): boolean =>
  preRoutingAuth === undefined && !Iterator.from(slots).some((slot) => slot === steadySlots.access);

/** What the RouteConfiguration of such a host says. */
export const toBase = (table: string): Readonly<Record<string, Any>> => ({
  [chainName('auth', table)]: off,
  [chainName('base', table)]: on,
});
