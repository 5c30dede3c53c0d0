import { create } from '@bufbuild/protobuf';
import { CorsPolicySchema, CorsSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { stringMatcher } from '../../resource/index.ts';
import type { EnvoyFilter } from '../envoy-filter.ts';
import type { Slot } from '../slot.ts';

/** Envoy's own filter, which reads the route's policy by this name. */
export const corsSlot: Slot = {
  name: 'envoy.filters.http.cors',
  chain: 'entry',
  filter: () => packAny(CorsSchema, create(CorsSchema)),
};

export const cors: EnvoyFilter<'cors'> = {
  slots: () => [corsSlot.name],
  perRoute: (policy) => ({ [corsSlot.name]: packAny(CorsPolicySchema, corsPolicy(policy)) }),
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
