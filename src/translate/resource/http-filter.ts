import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { HttpFilterSchema } from '../../envoy/index.ts';

export type HttpFilter = MessageInitShape<typeof HttpFilterSchema>;

/** A filter of a chain; per-route configuration goes by its name. */
export const httpFilter = (name: string, typedConfig: Any): HttpFilter => ({
  name,
  configType: { case: 'typedConfig', value: typedConfig },
});
