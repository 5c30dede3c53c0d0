import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { CorsPolicySchema, CorsSchema, type HttpFilterSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { stringMatcher } from '../../resource/index.ts';

const filterName = 'envoy.filters.http.cors';

/** Does nothing for routes without a policy of their own, so that a policy never changes a listener. */
export const corsFilter = (): MessageInitShape<typeof HttpFilterSchema> => ({
  name: filterName,
  configType: { case: 'typedConfig', value: packAny(CorsSchema, create(CorsSchema)) },
});

/** The policy of one route, as its `typed_per_filter_config`. Envoy echoes what was asked for where a list is `*`. */
export const corsPolicy = (cors: ir.Cors | undefined): Record<string, Any> => {
  if (!cors) return {};
  const policy = create(CorsPolicySchema, {
    allowOriginStringMatch: cors.origins.map(stringMatcher),
    allowMethods: cors.methods.join(', '),
    allowHeaders: cors.requestHeaders.join(', '),
    exposeHeaders: cors.exposedHeaders.join(', '),
    maxAge: String(cors.maxAgeSeconds),
    allowCredentials: cors.credentials,
    // A preflight from elsewhere is answered without permission, where Envoy would ask the backend.
    forwardNotMatchingPreflights: false,
  });
  return { [filterName]: packAny(CorsPolicySchema, policy) };
};
