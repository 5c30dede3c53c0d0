import type * as ir from '../../ir/index.ts';

/**
 * What takes the place of a route that cannot be served as it is, if it demands something of requests: without it, they would find a wider
 * route that may demand nothing. Undefined for other routes, which are left out.
 */
export const closedRoute = (route: ir.Route): ir.Route | undefined =>
  route.rule.filters?.access && { ...route, rule: { action: { kind: 'respond', status: 500 } } };
