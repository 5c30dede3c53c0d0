import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { type HttpFilterSchema, packAny, RouterSchema } from '../../envoy/index.ts';

export type HttpFilter = MessageInitShape<typeof HttpFilterSchema>;

/** A filter of a chain; per-route configuration goes by its name. */
export const httpFilter = (name: string, typedConfig: Any): HttpFilter => ({
  name,
  configType: { case: 'typedConfig', value: typedConfig },
});

/** The last filter of a connection manager. `suppressEnvoyHeaders`: it adds no `x-envoy-` headers. */
export const routerFilter = (suppressEnvoyHeaders = false): HttpFilter =>
  httpFilter('envoy.filters.http.router', packAny(RouterSchema, create(RouterSchema, { suppressEnvoyHeaders })));
