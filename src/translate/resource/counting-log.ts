import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { maxTrafficCounters, trafficPrefix } from '../../contracts/index.ts';
import {
  type AccessLogFilterSchema,
  type AccessLogSchema,
  ExpressionFilterSchema,
  packAny,
  StatsAccessLogSchema,
} from '../../envoy/index.ts';

/** One number for each text that its tag's format makes. */
export interface LogCounter {
  readonly stat: { readonly name: string; readonly tags: { readonly name: string; readonly valueFormat: string }[] };
  readonly valueFixed?: bigint;
  readonly valueFormat?: string;
}

/** An access log that counts for the agent of the proxy. */
export function countingLog(
  name: string,
  counters: readonly LogCounter[],
  filter?: MessageInitShape<typeof AccessLogFilterSchema>,
): MessageInitShape<typeof AccessLogSchema> {
  const config = create(StatsAccessLogSchema, {
    statsScope: {
      prefix: trafficPrefix,
      maxCounters: maxTrafficCounters,
      enableEviction: true,
      // All loggers of a proxy count into one scope, so that the limit holds for all of them together.
      sharingName: trafficPrefix,
    },
    counters: [...counters],
  });
  return {
    name,
    ...(filter && { filter }),
    configType: { case: 'typedConfig', value: packAny(StatsAccessLogSchema, config) },
  };
}

/** Requests of which an expression of CEL is true, which may take strings apart. */
export const celLogFilter = (expression: string): MessageInitShape<typeof AccessLogFilterSchema> => ({
  filterSpecifier: {
    case: 'extensionFilter',
    value: {
      name: 'envoy.access_loggers.extension_filters.cel',
      configType: {
        case: 'typedConfig',
        value: packAny(
          ExpressionFilterSchema,
          create(ExpressionFilterSchema, { expression, celConfig: { enableStringFunctions: true } }),
        ),
      },
    },
  },
});
