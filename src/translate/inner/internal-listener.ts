import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { HttpConnectionManagerSchema, ListenerSchema, packAny, typeUrls } from '../../envoy/index.ts';
import { type EnvoyResource, resourceOf, routerFilter } from '../resource/index.ts';

/** Its connection manager, without the prefix of statistics, which is the listener's. */
export type InternalManager = Omit<
  Extract<MessageInitShape<typeof HttpConnectionManagerSchema>, { readonly $typeName?: never }>,
  'statPrefix'
>;

interface InternalListener {
  readonly name: string;
  readonly statPrefix: string;
  readonly manager: InternalManager;
  /** Else Envoy's own. */
  readonly connectionBufferBytes?: number;
}

/** LDS: a listener within the proxy for requests, reached by clusters that name it. */
export function internalListener({
  name,
  statPrefix,
  manager,
  connectionBufferBytes,
}: InternalListener): EnvoyResource {
  const value = packAny(HttpConnectionManagerSchema, create(HttpConnectionManagerSchema, { ...manager, statPrefix }));
  const listener = create(ListenerSchema, {
    name,
    statPrefix,
    listenerSpecifier: { case: 'internalListener', value: {} },
    ...(connectionBufferBytes !== undefined && { perConnectionBufferLimitBytes: connectionBufferBytes }),
    filterChains: [
      {
        filters: [
          { name: 'envoy.filters.network.http_connection_manager', configType: { case: 'typedConfig', value } },
        ],
      },
    ],
  });
  return resourceOf(typeUrls.listener, name, ListenerSchema, listener);
}

/** The last filter of such a listener. It adds no `x-envoy-` headers: those are for the listener that clients came to. */
export const quietRouter = () => routerFilter(true);
