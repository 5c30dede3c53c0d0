import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type AccessLogSchema,
  HttpConnectionManager_CodecType as CodecType,
  type LocalReplyConfigSchema,
  type RouteSchema,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
  type TypedExtensionConfigSchema,
} from '../../envoy/index.ts';
import { durationOf, type EnvoyResource, type HttpFilter } from '../resource/index.ts';
import { type InternalManager, internalListener, quietRouter } from './internal-listener.ts';

export type EnvoyRoute = MessageInitShape<typeof RouteSchema>;

/** What a request, or an answer that is looked into, may be long where it is held as a whole. */
export const maxBodyBytes = 32 * 1024 * 1024;

/** Envoy's limit for answers of its own is 4 KiB. */
const maxDirectResponseBytes = 256 * 1024;

export interface InnerListener {
  readonly name: string;
  /** What statistics go by, which is the same whatever is changed. */
  readonly stats: string;
  readonly filters: readonly HttpFilter[];
  readonly routes: readonly EnvoyRoute[];
  readonly accessLog?: readonly MessageInitShape<typeof AccessLogSchema>[];
  readonly early?: readonly MessageInitShape<typeof TypedExtensionConfigSchema>[];
  readonly localReplies?: MessageInitShape<typeof LocalReplyConfigSchema>;
}

/**
 * LDS: a listener within the proxy, reached by clusters that name it. Its routes are inline, because only the objects it is made for
 * change them.
 */
export function innerListener({
  name,
  stats,
  filters,
  routes,
  accessLog = [],
  early = [],
  localReplies,
}: InnerListener): EnvoyResource {
  // Agents leave out what begins so: it is counted where clients came in.
  const statPrefix = `gatewright_${stats.replaceAll('/', '_')}`;
  const manager: InternalManager = {
    codecType: CodecType.AUTO,
    accessLog: [...accessLog],
    earlyHeaderMutationExtensions: [...early],
    routeSpecifier: {
      case: 'routeConfig',
      value: {
        name,
        validateClusters: false,
        maxDirectResponseBodySizeBytes: maxDirectResponseBytes,
        virtualHosts: [{ name: 'all', domains: ['*'], routes: [...routes] }],
      },
    },
    httpFilters: [...filters, quietRouter()],
    ...(localReplies && { localReplyConfig: localReplies }),
    // The listener that clients came to has said so already.
    preserveExternalRequestId: true,
    serverHeaderTransformation: ServerHeader.PASS_THROUGH,
    streamIdleTimeout: durationOf(0),
  };
  return internalListener({ name, statPrefix, manager, connectionBufferBytes: maxBodyBytes });
}
