import { access } from './access/access.ts';
import { cors } from './cors/cors.ts';
import type { EnvoyFilter, FilterKey } from './envoy-filter.ts';
import { externalAuth } from './external-auth/external-auth.ts';
import { headerEdits } from './header-edits/header-edits.ts';
import { requestHeaders, responseHeaders } from './header-modifier/header-modifier.ts';
import { limits } from './limits/limits.ts';
import { mirrors } from './request-mirror/request-mirror.ts';
import { traffic } from './traffic/traffic.ts';

/** Every field of ir.RouteFilters, in the order in which a request passes the filters. */
export const envoyFilters = {
  // First: a preflight carries no credentials by which a server could authorize it.
  cors,
  // What policies demand, before servers of the route's own filters are asked.
  access,
  // Before what changes or copies a request: none of that is done for a request that may not pass.
  externalAuth,
  // Of what may come in, so that buckets know who a client is. Those that guard the servers before it are in another chain.
  limits,
  // Of policies, wherever their slots stand.
  traffic,
  // Of filters of our own kind, likewise.
  headerEdits,
  requestHeaders,
  // A copy has the changed headers of its request.
  mirrors,
  responseHeaders,
} satisfies { readonly [K in FilterKey]-?: EnvoyFilter<K> };
