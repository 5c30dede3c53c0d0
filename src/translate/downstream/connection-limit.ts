import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ConnectionLimitSchema, type FilterSchema, packAny } from '../../envoy/index.ts';
import { durationOf } from '../resource/index.ts';

interface Limit {
  readonly maxConnections?: number | undefined;
  readonly closeDelayMs?: number | undefined;
}

/** Closes connections of a chain above a number, before anything else is done for them. `chain`: for statistics. */
export function connectionLimit(
  { maxConnections, closeDelayMs }: Limit,
  chain: string,
): MessageInitShape<typeof FilterSchema>[] {
  if (maxConnections === undefined) return [];
  const limit = create(ConnectionLimitSchema, {
    statPrefix: chain.replaceAll('/', '_'),
    maxConnections: BigInt(maxConnections),
    ...(closeDelayMs !== undefined && { delay: durationOf(closeDelayMs) }),
  });
  return [
    {
      name: 'envoy.filters.network.connection_limit',
      configType: { case: 'typedConfig', value: packAny(ConnectionLimitSchema, limit) },
    },
  ];
}
