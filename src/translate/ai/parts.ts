import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import { agentService, aiHeaders, aiLogs } from '../../contracts/index.ts';
import {
  ApiVersion,
  HttpConnectionManager_CodecType as CodecType,
  HttpConnectionManagerSchema,
  HttpGrpcAccessLogConfigSchema,
  ListenerSchema,
  packAny,
  RouterSchema,
  type RouteSchema,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
  type TypedExtensionConfigSchema,
  typeUrls,
} from '../../envoy/index.ts';
import { durationOf, type EnvoyResource, type HttpFilter, httpFilter, resourceOf } from '../resource/index.ts';

export type EnvoyRoute = MessageInitShape<typeof RouteSchema>;

/** What a request, or an answer that is looked into, may be long: it is held as a whole. */
const maxBodyBytes = 32 * 1024 * 1024;

/** How long what was used waits for more of it, so that it travels together. */
const logFlushMs = 200;
const logBytes = 64 * 1024;
/** Envoy's limit for answers of its own is 4 KiB. */
const maxDirectResponseBytes = 256 * 1024;

export interface InnerListener {
  readonly name: string;
  /** What statistics go by, which is the same whatever is changed. */
  readonly stats: string;
  readonly log: string;
  /** What the log says of each request: the object that the listener is for. */
  readonly subject: string;
  readonly filters: readonly HttpFilter[];
  readonly routes: readonly EnvoyRoute[];
  readonly early?: readonly MessageInitShape<typeof TypedExtensionConfigSchema>[];
}

/**
 * LDS: a listener within the proxy, reached by clusters that name it. Its routes are inline, because only the objects it is made for
 * change them. Requests through it are reported to the agent.
 */
export function innerListener({
  name,
  stats,
  log,
  subject,
  filters,
  routes,
  early = [],
}: InnerListener): EnvoyResource {
  const manager = create(HttpConnectionManagerSchema, {
    codecType: CodecType.AUTO,
    statPrefix: `gatewright_${stats.replaceAll('/', '_')}`,
    accessLog: [accessLog(log, subject)],
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
    httpFilters: [
      ...filters,
      httpFilter(
        'envoy.filters.http.router',
        packAny(RouterSchema, create(RouterSchema, { suppressEnvoyHeaders: true })),
      ),
    ],
    // The listener that clients came to has said so already.
    preserveExternalRequestId: true,
    serverHeaderTransformation: ServerHeader.PASS_THROUGH,
    streamIdleTimeout: durationOf(0),
  });
  const listener = create(ListenerSchema, {
    name,
    // Agents leave out what begins so: it is counted where clients came in.
    statPrefix: `gatewright_${stats.replaceAll('/', '_')}`,
    listenerSpecifier: { case: 'internalListener', value: {} },
    perConnectionBufferLimitBytes: maxBodyBytes,
    filterChains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            configType: { case: 'typedConfig', value: packAny(HttpConnectionManagerSchema, manager) },
          },
        ],
      },
    ],
  });
  return resourceOf(typeUrls.listener, name, ListenerSchema, listener);
}

const literal = (tag: string, value: string) => ({ tag, type: { case: 'literal' as const, value: { value } } });

function accessLog(logName: string, subject: string) {
  const config = create(HttpGrpcAccessLogConfigSchema, {
    commonConfig: {
      logName,
      grpcService: { targetSpecifier: { case: 'envoyGrpc', value: { clusterName: agentService } } },
      transportApiVersion: ApiVersion.V3,
      bufferFlushInterval: durationOf(logFlushMs),
      bufferSizeBytes: logBytes,
      customTags: [literal('subject', subject), literal('kind', logName === aiLogs.attempt ? 'attempt' : 'request')],
    },
    additionalRequestHeadersToLog: [...Object.values(aiHeaders), 'traceparent'],
  });
  return {
    name: 'envoy.access_loggers.http_grpc',
    configType: { case: 'typedConfig' as const, value: packAny(HttpGrpcAccessLogConfigSchema, config) },
  };
}

/** What a route does that the proxy answers itself, in JSON. */
export const jsonAnswer = (status: number, value: JsonObject) => ({
  action: {
    case: 'directResponse' as const,
    value: { status, body: { specifier: { case: 'inlineString' as const, value: JSON.stringify(value) } } },
  },
  responseHeadersToAdd: [{ header: { key: 'content-type', value: 'application/json' }, appendAction: 2 as const }],
});

/** The same, in the words in which OpenAI's API says what is wrong, which its clients show to people. */
export const errorAnswer = (status: number, type: string, code: string, message: string) =>
  jsonAnswer(status, { error: { message, type, param: code === 'model_not_found' ? 'model' : null, code } });

/** For objects that headers identify, or that need no identification. */
export const anyPath = { pathSpecifier: { case: 'prefix' as const, value: '/' } };
