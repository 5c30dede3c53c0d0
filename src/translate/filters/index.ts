/** What the filters of routes become in Envoy; one folder for each filter. */
export {
  changesHeaders,
  filterActionFields,
  headerFields,
  joinFilters,
  needsOwnRoute,
  perRouteConfig,
  routeHttpFilters,
} from './apply-filters.ts';
export { hostAuth, hostAuthFilters } from './external-auth/auth-slots.ts';
