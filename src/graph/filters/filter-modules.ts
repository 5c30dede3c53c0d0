import { cors } from './cors/cors.ts';
import { extensionRef } from './extension-ref/extension-ref.ts';
import { externalAuth } from './external-auth/external-auth.ts';
import type { FilterModule, FilterType } from './filter-module.ts';
import { requestHeaderModifier, responseHeaderModifier } from './header-modifier/header-modifier.ts';
import { requestMirror } from './request-mirror/request-mirror.ts';
import { requestRedirect } from './request-redirect/request-redirect.ts';
import { unsupported } from './unsupported.ts';
import { urlRewrite } from './url-rewrite/url-rewrite.ts';

/**
 * Every type of filter, in the order in which ir.RouteFilters has their fields, statuses name bad references, and backends
 * are listed. Digests are made of that order: replicas of two releases agree on them as long as a new filter comes last.
 */
const filterModules = {
  RequestHeaderModifier: requestHeaderModifier,
  ResponseHeaderModifier: responseHeaderModifier,
  // Before ExternalAuth: where both name bad references, the reason of the condition is that of the mirror.
  RequestMirror: requestMirror,
  CORS: cors,
  ExternalAuth: externalAuth,
  // No fields: these decide the action.
  URLRewrite: urlRewrite,
  RequestRedirect: requestRedirect,
  ExtensionRef: extensionRef,
} satisfies { readonly [T in FilterType]: FilterModule };

/** Types that a newer API has are unsupported, too. */
export const filterModuleOf = (type: string): FilterModule =>
  (filterModules as Readonly<Record<string, FilterModule>>)[type] ?? unsupported;

export const allFilterModules: readonly FilterModule[] = Object.values(filterModules);
