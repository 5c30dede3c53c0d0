import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  ProcessingMode_BodySendMode as Body,
  type ExternalProcessorFilter,
  ExternalProcessorFilter_RouteCacheAction,
  ExternalProcessorFilterSchema,
  ProcessingMode_HeaderSendMode as Header,
  HeaderMutationFilterSchema,
  type HeaderMutationRulesSchema,
  type ListStringMatcherSchema,
  type ProcessingModeSchema,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { ownHeaderPrefix } from '../../../ir/index.ts';
import { askedAgain, clusterName, durationOf, retryOnHeader } from '../../resource/index.ts';
import type { FilterList, SlotContent } from '../slot.ts';
import { changesProtocol } from '../traffic/changes-protocol.ts';

type Modes = Extract<MessageInitShape<typeof ProcessingModeSchema>, { readonly $typeName?: undefined }>;

const bodyModes = {
  streamed: Body.STREAMED,
  buffered: Body.BUFFERED,
  bufferedPartial: Body.BUFFERED_PARTIAL,
} as const satisfies Readonly<Record<ir.ProcessedBody, Body>>;

/**
 * What a processor may never change: where a request goes whose route is chosen already, its length, how it travels, and our own headers. The status of an
 * answer is for it to change.
 */
const mutationRules: MessageInitShape<typeof HeaderMutationRulesSchema> = {
  disallowExpression: {
    regex: `:(authority|method|path|scheme|protocol)|host|content-length|transfer-encoding|connection|upgrade|${ownHeaderPrefix}.*`,
  },
};

const ownHeaders: MessageInitShape<typeof ListStringMatcherSchema> = {
  patterns: [
    { matchPattern: { case: 'prefix', value: ownHeaderPrefix } },
    { matchPattern: { case: 'exact', value: retryOnHeader } },
  ],
};

/** A connection that changes its protocol has no body that could be waited for. */
export function extProc(processor: ir.Processor): SlotContent {
  const filter = withoutLengths(processor, packed(processor, modesOf(processor)));
  const { request, response } = processor;
  if (![request, response].some(({ body }) => body === 'buffered' || body === 'bufferedPartial')) return filter;
  const bodiless = { ...modesOf(processor), requestBodyMode: Body.NONE, responseBodyMode: Body.NONE };
  return { choices: [{ predicate: changesProtocol, filter: packed(processor, bodiless) }], otherwise: filter };
}

/**
 * Of a body that is buffered, Envoy rejects a change that differs from Content-Length, and a processor that might write that header could hide a request behind
 * another one. So there is none. Answers meet the last filter first.
 */
function withoutLengths({ request, response }: ir.Processor, processor: Any): Any | FilterList {
  const isBuffered = [request, response].map(({ body }) => body === 'buffered');
  if (!isBuffered.includes(true)) return processor;
  const [ofRequest, ofResponse] = isBuffered;
  return {
    filters: [
      ...(ofRequest ? [{ name: 'length', typedConfig: lengthRemoval('requestMutations') }] : []),
      { name: 'processor', typedConfig: processor },
      ...(ofResponse ? [{ name: 'length', typedConfig: lengthRemoval('responseMutations') }] : []),
    ],
  };
}

const lengthRemoval = (half: 'requestMutations' | 'responseMutations'): Any =>
  packAny(
    HeaderMutationFilterSchema,
    create(HeaderMutationFilterSchema, {
      mutations: { [half]: [{ action: { case: 'remove' as const, value: 'content-length' } }] },
    }),
  );

const packed = (processor: ir.Processor, modes: Modes): Any =>
  packAny(ExternalProcessorFilterSchema, externalProcessor(processor, modes));

function externalProcessor(processor: ir.Processor, processingMode: Modes): ExternalProcessorFilter {
  const { backend, authority, request, response, headers, metadata, timeoutMs, statusOnError, failOpen, shadow } =
    processor;
  return create(ExternalProcessorFilterSchema, {
    grpcService: {
      targetSpecifier: { case: 'envoyGrpc', value: { clusterName: clusterName(backend), authority } },
      // Of streams: that of `envoyGrpc` is for xDS alone. Envoy would wait a second.
      retryPolicy: { ...askedAgain, retryBackOff: { baseInterval: durationOf(1), maxInterval: durationOf(25) } },
    },
    processingMode,
    messageTimeout: durationOf(timeoutMs),
    ...(failOpen && { failureModeAllow: true }),
    ...(shadow && { observabilityMode: true, failureModeAllow: true }),
    statusOnError: { code: statusOnError },
    requestAttributes: [...request.attributes],
    responseAttributes: [...response.attributes],
    forwardRules: {
      ...(headers.length > 0 && { allowedHeaders: namesOf(headers) }),
      disallowedHeaders: ownHeaders,
    },
    mutationRules,
    ...(metadata.length > 0 && { metadataOptions: { forwardingNamespaces: { untyped: [...metadata] } } }),
    // A request keeps the route that policies were judged by.
    routeCacheAction: ExternalProcessorFilter_RouteCacheAction.RETAIN,
  });
}

const modesOf = ({ request, response }: ir.Processor): Modes => ({
  requestHeaderMode: sent(request.headers),
  responseHeaderMode: sent(response.headers),
  requestBodyMode: bodyOf(request),
  responseBodyMode: bodyOf(response),
  requestTrailerMode: sent(request.trailers),
  responseTrailerMode: sent(response.trailers),
});

const sent = (isSent: boolean): Header => (isSent ? Header.SEND : Header.SKIP);
const bodyOf = ({ body }: ir.ProcessedHalf): Body => (body ? bodyModes[body] : Body.NONE);

const namesOf = (names: readonly string[]): MessageInitShape<typeof ListStringMatcherSchema> => ({
  patterns: names.map((name) => ({ matchPattern: { case: 'exact', value: name }, ignoreCase: true })),
});
