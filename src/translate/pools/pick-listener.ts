import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type AccessLogFilterSchema,
  ProcessingMode_BodySendMode as Body,
  BufferSchema,
  ExpressionFilterSchema,
  ExternalProcessorFilter_RouteCacheAction,
  ExternalProcessorFilterSchema,
  ProcessingMode_HeaderSendMode as Header,
  type HeaderMatcherSchema,
  type LocalReplyConfigSchema,
  type MetadataMatcherSchema,
  type ProcessingModeSchema,
  packAny,
  RBAC_Action,
  RBACFilterSchema,
} from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import { type InnerListener, innerListener, maxBodyBytes } from '../inner/index.ts';
import { clusterName, durationOf, type EnvoyResource, type HttpFilter, httpFilter } from '../resource/index.ts';
import { destination, outcomeIs, pickFailed, pickNamespace, withoutPicks } from './pick-headers.ts';
import { toServers } from './plain-listener.ts';

type Mode = Exclude<ir.PickerMode, 'auto'>;

interface PickListener {
  readonly name: string;
  /** Keys of the ir.Backends of the pool and of its model servers. */
  readonly key: string;
  readonly servers: string;
  readonly picker: ir.EndpointPicker;
  readonly mode: Mode;
  readonly accessLog: NonNullable<InnerListener['accessLog']>;
}

/**
 * How long a picker may take for a message, unless the body is in full duplex: there Envoy waits as long as the client does. Pickers may hold requests
 * until a model server is free, and Envoy's own default is 0.2 s.
 */
const messageTimeoutMs = 60_000;

/** A listener where the picker is asked, and the model server that it names is sent the request. */
export const pickListener = ({ name, key, servers, picker, mode, accessLog }: PickListener): EnvoyResource =>
  innerListener({
    name,
    stats: key,
    early: [withoutPicks],
    localReplies: markReplies,
    accessLog,
    filters: [...(mode === 'buffered' ? [wholeBody] : []), askPicker(picker, mode), mustBePicked],
    routes: [toServers(servers, 'picked')],
  });

const pickedByMetadata: MessageInitShape<typeof MetadataMatcherSchema> = {
  filter: pickNamespace,
  path: [{ segment: { case: 'key', value: destination } }],
  value: { matchPattern: { case: 'presentMatch', value: true } },
};

const pickedByHeader: MessageInitShape<typeof HeaderMatcherSchema> = {
  name: destination,
  headerMatchSpecifier: { case: 'presentMatch', value: true },
};

/** A picker failed, and no model server was asked. It must not be asked again after one was: a prompt would run twice. */
const beforeServers =
  "response.code_details.matches('^(ext_proc|spurious_message|per_message_timeout|rbac_access_denied)') && !has(upstream.address)";

/** No server was asked, and it was not for want of one: what is answered then are the picker's own words. */
const byPicker =
  "!has(upstream.address) && !response.code_details.matches('^(no_healthy_upstream|cluster_not_found|request_payload_too_large)')";

const repliesThat = (expression: string): MessageInitShape<typeof AccessLogFilterSchema> => ({
  filterSpecifier: {
    case: 'extensionFilter',
    value: {
      name: 'envoy.access_loggers.extension_filters.cel',
      configType: {
        case: 'typedConfig',
        value: packAny(ExpressionFilterSchema, create(ExpressionFilterSchema, { expression })),
      },
    },
  },
});

/** The first that fits counts. */
const markReplies: MessageInitShape<typeof LocalReplyConfigSchema> = {
  mappers: [
    {
      filter: repliesThat(beforeServers),
      // 403 is what Envoy answers where no endpoint was named.
      statusCode: 503,
      body: { specifier: { case: 'inlineString', value: 'the endpoint picker did not choose a model server' } },
      headersToAdd: [outcomeIs(pickFailed.value)],
    },
    { filter: repliesThat(byPicker), headersToAdd: [outcomeIs('answered')] },
  ],
};

/**
 * To Envoy a picker that ends its stream silently has nothing against the request. Nor has one that names no endpoint. Such a request must not go
 * anywhere by itself.
 */
const mustBePicked: HttpFilter = httpFilter(
  'gatewright.pool.picked',
  packAny(
    RBACFilterSchema,
    create(RBACFilterSchema, {
      rules: {
        action: RBAC_Action.ALLOW,
        policies: {
          picked: {
            permissions: [
              { rule: { case: 'sourcedMetadata', value: { metadataMatcher: pickedByMetadata } } },
              { rule: { case: 'header', value: pickedByHeader } },
            ],
            principals: [{ identifier: { case: 'any', value: true } }],
          },
        },
      },
    }),
  ),
);

/** For pickers that take a body in one message. */
const wholeBody: HttpFilter = httpFilter(
  'gatewright.pool.buffer',
  packAny(BufferSchema, create(BufferSchema, { maxRequestBytes: maxBodyBytes })),
);

/** What a picker never hears of: credentials are for model servers, and our own headers for ourselves. */
const withheld = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key'];

/** What a picker may not change: where a request goes beyond its endpoint, how it travels, and our own headers. */
const untouchable = `:(authority|method|path|scheme|protocol)|host|transfer-encoding|connection|upgrade|${ir.ownHeaderPrefix}.*`;

function askPicker({ backend, authority }: ir.EndpointPicker, mode: Mode): HttpFilter {
  const config = create(ExternalProcessorFilterSchema, {
    grpcService: { targetSpecifier: { case: 'envoyGrpc', value: { clusterName: clusterName(backend), authority } } },
    processingMode: processingModes[mode],
    messageTimeout: durationOf(messageTimeoutMs),
    ...(mode === 'buffered' && { sendBodyWithoutWaitingForHeaderResponse: true }),
    // 500 says that something is wrong with the proxy.
    statusOnError: { code: 503 },
    // A picker may ask for another route by its headers: there is one.
    routeCacheAction: ExternalProcessorFilter_RouteCacheAction.RETAIN,
    forwardRules: {
      disallowedHeaders: {
        patterns: [
          { matchPattern: { case: 'prefix', value: ir.ownHeaderPrefix } },
          ...withheld.map((value) => ({ matchPattern: { case: 'exact' as const, value } })),
        ],
      },
    },
    mutationRules: { disallowExpression: { regex: untouchable } },
    metadataOptions: {
      forwardingNamespaces: { untyped: [pickNamespace] },
      receivingNamespaces: { untyped: [pickNamespace] },
    },
  });
  return httpFilter('gatewright.pool.pick', packAny(ExternalProcessorFilterSchema, config));
}

/** Full duplex needs trailers. */
const processingModes: Readonly<Record<Mode, MessageInitShape<typeof ProcessingModeSchema>>> = {
  fullDuplex: {
    requestHeaderMode: Header.SEND,
    requestBodyMode: Body.FULL_DUPLEX_STREAMED,
    requestTrailerMode: Header.SEND,
    responseHeaderMode: Header.SEND,
    responseBodyMode: Body.FULL_DUPLEX_STREAMED,
    responseTrailerMode: Header.SEND,
  },
  fullDuplexRequest: {
    requestHeaderMode: Header.SEND,
    requestBodyMode: Body.FULL_DUPLEX_STREAMED,
    requestTrailerMode: Header.SEND,
    responseHeaderMode: Header.SEND,
    responseBodyMode: Body.NONE,
    responseTrailerMode: Header.SKIP,
  },
  buffered: {
    requestHeaderMode: Header.SEND,
    requestBodyMode: Body.STREAMED,
    requestTrailerMode: Header.SKIP,
    responseHeaderMode: Header.SEND,
    responseBodyMode: Body.NONE,
    responseTrailerMode: Header.SKIP,
  },
};
