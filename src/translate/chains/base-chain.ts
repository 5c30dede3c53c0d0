import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { FilterConfigSchema, packAny } from '../../envoy/index.ts';
import { chainName } from '../resource/index.ts';

/*
 * Where some route demands something, `auth` may have more than a hundred filters, and each costs every request that meets it. So hosts whose routes
 * demand nothing meet `base`: what the table itself demands, and what is for all of its routes. Connection managers have `base` switched off and `auth` on, so
 * a request whose route is found late meets all of it. Exact scopes say otherwise of their hosts, also while no route uses anything of `auth`: so no scope
 * is sent again when one begins to.
 */

const off = packAny(FilterConfigSchema, create(FilterConfigSchema, { disabled: true }));
/** Envoy takes a configuration that is empty for one that switches the filter on. */
const on = packAny(FilterConfigSchema, create(FilterConfigSchema, { config: {} }));

/** For the RouteConfiguration of an exact scope none of whose routes uses anything of `auth`. */
export const meetsBase = (table: string): Readonly<Record<string, Any>> => ({
  [chainName('auth', table)]: off,
  [chainName('base', table)]: on,
});
