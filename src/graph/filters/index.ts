/** What filters of routes and listeners do, in the words of the IR; one folder for each type of filter. */
export { corsFault, corsOf, withCors } from './cors/cors.ts';
export { preflightsOf } from './cors/preflights.ts';
export { headerEdit } from './extension-ref/members/headers.ts';
export {
  configMapsOf,
  credentialKeysOf,
  credentialOf,
  type HttpFilterObject,
  resolveMember,
  secretsOf,
} from './extension-ref/members/index.ts';
export { filterEffectSchemas, showFilters } from './filter-effects.ts';
export type { ResolvedFilters } from './filter-module.ts';
export { filterReferencesOf, httpFilterKeysOf, resolveReferencesOf } from './filter-references.ts';
export { filterRefsOf, resolveListenerFilters } from './listener-filters.ts';
export { redirectOf } from './request-redirect/request-redirect.ts';
export { filterBackends, resolveFilters, withoutForwarding } from './resolve-filters.ts';
export { rewriteOf } from './url-rewrite/url-rewrite.ts';
