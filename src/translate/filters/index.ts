/** What the filters of routes become in Envoy; one folder for each filter. */
export { corsFilter, corsPolicy } from './cors/cors.ts';
export { hostAuth, hostAuthFilters, routeAuth, routeAuthFilters } from './external-auth/external-auth.ts';
export { translateHeaderChanges } from './header-modifier/header-modifier.ts';
export { millionths, translateMirror } from './request-mirror/request-mirror.ts';
