/** What the filters of routes become in Envoy; one folder for each filter. */
export { corsFilter, corsPolicy } from './cors/cors.ts';
export { hostAuth, hostAuthFilters, routeAuth, routeAuthFilters } from './external-auth/external-auth.ts';
export { translateHeaderChanges } from './header-modifier/header-changes.ts';
export { millionths, translateMirror } from './mirror/mirror.ts';
export { forwardPath, redirectPath } from './path-rewrite.ts';
