import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RouteSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { customTag, fractionOf, million, spanNameFormat } from '../resource/index.ts';

type Tracing = NonNullable<Extract<MessageInitShape<typeof RouteSchema>, { readonly $typeName?: never }>['tracing']>;

/** Envoy takes all shares from the route once it has one: what is left out would be 100 percent. */
export const routeTracing = ({ samplingPercent, tags = [], spanName }: ir.RuleTracing): Tracing => ({
  randomSampling: fractionOf((samplingPercent * million) / 100),
  customTags: tags.map(customTag),
  ...(spanName !== undefined && { operation: spanNameFormat(spanName) }),
});
