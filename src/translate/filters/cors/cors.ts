import { create } from '@bufbuild/protobuf';
import { CorsPolicySchema, CorsSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { httpFilter, stringMatcher } from '../../resource/index.ts';
import type { EnvoyFilter } from '../envoy-filter.ts';

const filterName = 'envoy.filters.http.cors';

export const cors: EnvoyFilter<'cors'> = {
  httpFilters: () => [httpFilter(filterName, packAny(CorsSchema, create(CorsSchema)))],
  perRoute: (policy) => ({ [filterName]: packAny(CorsPolicySchema, corsPolicy(policy)) }),
};

/** Envoy echoes what was asked for where a list is `*`. */
const corsPolicy = ({ origins, methods, requestHeaders, exposedHeaders, credentials, maxAgeSeconds }: ir.Cors) =>
  create(CorsPolicySchema, {
    allowOriginStringMatch: origins.map(stringMatcher),
    allowMethods: methods.join(', '),
    allowHeaders: requestHeaders.join(', '),
    exposeHeaders: exposedHeaders.join(', '),
    maxAge: String(maxAgeSeconds),
    allowCredentials: credentials,
    // A preflight from elsewhere is answered without permission, where Envoy would ask the backend.
    forwardNotMatchingPreflights: false,
  });
