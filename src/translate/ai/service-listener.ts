import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { aiHeaders, aiLogs, poolHeaders } from '../../contracts/index.ts';
import {
  AiProtocolManagerPerRouteSchema,
  AiProtocolManagerSchema,
  BodyTransformation_TransformAction as BodyAction,
  CredentialInjectorSchema,
  Transcoder_Direction as Direction,
  GenericSchema,
  HeaderMutationFilterSchema,
  HeaderToMetadataSchema,
  LLMProtocol,
  packAny,
  TranscoderSchema,
  TransformConfigSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import type { EnvoyRoute } from '../inner/index.ts';
import {
  adsSource,
  aiCredentialName,
  aiListenerName,
  clusterName,
  durationOf,
  type EnvoyResource,
  elsewhere,
  genericSecret,
  type HttpFilter,
  httpFilter,
} from '../resource/index.ts';
import { anyPath, errorAnswer, reportedListener } from './parts.ts';
import { hideRejections, inAnthropicWords } from './rejected-credential.ts';
import { headerIs, modelIs } from './route-listener.ts';

const usage = 'gatewright.ai.usage';
const toCommon = 'gatewright.ai.to-common';
const fromCommon = 'gatewright.ai.from-common';
const body = 'gatewright.ai.body';

const maxEventBytes = 1024 * 1024;
/** The most that Envoy takes: of a longer answer nothing is known of what was used. */
const maxReadBytes = 10 * 1024 * 1024;

/**
 * Failures of which it is certain that the service has read nothing of the request, and so counts nothing for it. A connection that was
 * used before and is closed by the service is none of them, even if nothing came back.
 */
const nothingSent = 'connect-failure,reset-before-request';

/** Something that a client may ask for, and how each schema of providers answers it. */
interface Operation {
  /** One of aiOperations. */
  readonly name: string;
  /** As clients ask for it. */
  readonly path: string;
  /** The schema of the client's words. */
  readonly spoken: LLMProtocol;
  /** What is behind the service's own path, by its schema; missing: it cannot do that. */
  readonly at: Readonly<Partial<Record<ir.AiSchema, string>>>;
  /** A provider reports the usage of a streamed answer only on request. */
  readonly asksForUsage?: true;
}

const { OPENAI_CHAT_COMPLETIONS, OPENAI_RESPONSES, ANTHROPIC_MESSAGES } = LLMProtocol;

const operations: readonly Operation[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    spoken: OPENAI_CHAT_COMPLETIONS,
    at: { openai: '/chat/completions', anthropic: '/messages' },
    asksForUsage: true,
  },
  {
    name: 'chat',
    path: '/v1/messages',
    spoken: ANTHROPIC_MESSAGES,
    at: { openai: '/chat/completions', anthropic: '/messages' },
    asksForUsage: true,
  },
  {
    name: 'text_completion',
    path: '/v1/completions',
    spoken: OPENAI_CHAT_COMPLETIONS,
    at: { openai: '/completions' },
    asksForUsage: true,
  },
  { name: 'embeddings', path: '/v1/embeddings', spoken: OPENAI_CHAT_COMPLETIONS, at: { openai: '/embeddings' } },
  { name: 'responses', path: '/v1/responses', spoken: OPENAI_RESPONSES, at: { openai: '/responses' } },
];

/** Which words a provider hears and says them back in. */
const heard = (schema: ir.AiSchema, { spoken }: Operation): LLMProtocol => {
  if (schema === 'anthropic') return ANTHROPIC_MESSAGES;
  return spoken === ANTHROPIC_MESSAGES ? OPENAI_CHAT_COMPLETIONS : spoken;
};

/**
 * What is done to requests for one provider: its credential instead of the client's, its words instead of the client's where these differ,
 * its name of the model. What it says was used is read as it says it, before it is translated.
 */
export function serviceListener(key: string, service: ir.AiService): EnvoyResource {
  return reportedListener({
    name: aiListenerName(key),
    stats: aiListenerName(key),
    log: aiLogs.attempt,
    subject: service.key,
    ...(service.pool !== undefined && { pool: service.pool }),
    filters: [
      hideRejections(),
      noteHeaders(service),
      cleanHeaders(service),
      ...(service.credential ? [injectCredential(key, service.credential)] : []),
      ...translation(),
      httpFilter(body, packAny(TransformConfigSchema, create(TransformConfigSchema))),
      httpFilter(usage, readUsage),
    ],
    routes: [...operations.flatMap((operation) => operationRoutes(key, service, operation)), unsupported()],
  });
}

/** Providers see none of our headers, but the log is written when they are gone. What a pool says of its servers goes no further. */
function noteHeaders({ pool }: ir.AiService): HttpFilter {
  const config = create(HeaderToMetadataSchema, {
    ...(pool !== undefined && {
      responseRules: Object.entries(poolHeaders).map(([key, header]) => ({
        header,
        onHeaderPresent: { metadataNamespace: aiLogs.attempt, key },
        remove: true,
      })),
    }),
    requestRules: Object.entries(aiHeaders).map(([key, header]) => ({
      header,
      onHeaderPresent: { metadataNamespace: aiLogs.attempt, key },
    })),
  });
  return httpFilter('gatewright.ai.note', packAny(HeaderToMetadataSchema, config));
}

/** A client's credentials are for us. Answers that are compressed cannot be read. */
function cleanHeaders({ schema }: ir.AiService): HttpFilter {
  const remove = [
    'authorization',
    'x-api-key',
    'api-key',
    'cookie',
    'accept-encoding',
    'x-forwarded-for',
    'x-forwarded-proto',
  ];
  const config = create(HeaderMutationFilterSchema, {
    mutations: {
      requestMutations: [
        ...remove.map((value) => ({ action: { case: 'remove' as const, value } })),
        ...(schema === 'anthropic'
          ? [
              {
                action: {
                  case: 'append' as const,
                  value: { header: { key: 'anthropic-version', value: '2023-06-01' }, appendAction: 1 as const },
                },
              },
            ]
          : []),
      ],
    },
  });
  return httpFilter('gatewright.ai.clean', packAny(HeaderMutationFilterSchema, config));
}

function injectCredential(key: string, { header, prefix }: ir.AiCredential): HttpFilter {
  const generic = create(GenericSchema, {
    credential: { name: aiCredentialName(key), sdsConfig: adsSource() },
    header,
    headerValuePrefix: prefix,
  });
  const config = create(CredentialInjectorSchema, {
    overwrite: true,
    credential: { name: 'envoy.http.injected_credentials.generic', typedConfig: packAny(GenericSchema, generic) },
  });
  return httpFilter('gatewright.ai.credential', packAny(CredentialInjectorSchema, config));
}

/** SDS: what a provider's credential injector puts into the header. */
export function credentialSecret(key: string, { value }: ir.AiCredential): EnvoyResource {
  return genericSecret(aiCredentialName(key), value);
}

/** From the client's words to common ones and from these to the provider's; answers the other way, for filters see them in reverse. */
function translation(): HttpFilter[] {
  const filter = (name: string, requestHandling: Direction, responseHandling: Direction) => {
    const transcoder = create(TranscoderSchema, { requestHandling, responseHandling });
    const manager = create(AiProtocolManagerSchema, {
      requestHandling: {},
      responseHandling: {},
      filters: [{ name: 'envoy.http.ai_filters.transcoder', typedConfig: packAny(TranscoderSchema, transcoder) }],
    });
    return httpFilter(name, packAny(AiProtocolManagerSchema, manager));
  };
  return [filter(toCommon, Direction.TO_IR, Direction.FROM_IR), filter(fromCommon, Direction.FROM_IR, Direction.TO_IR)];
}

const readUsage = packAny(
  AiProtocolManagerSchema,
  create(AiProtocolManagerSchema, {
    responseHandling: { tokenUsage: { limits: { maxSseEventSize: maxEventBytes, maxJsonBodySize: maxReadBytes } } },
  }),
);

const perRoute = (llmProtocol: LLMProtocol): Any =>
  packAny(
    AiProtocolManagerPerRouteSchema,
    create(AiProtocolManagerPerRouteSchema, { request: { llmProtocol }, response: { llmProtocol } }),
  );

/** One for each model that is called something else there, and one for all others; of each one for answers in pieces where these have to be asked for what was used. */
function operationRoutes(key: string, service: ir.AiService, operation: Operation): EnvoyRoute[] {
  const path = operation.at[service.schema];
  if (path === undefined) return [];
  const renamed = service.models.filter(({ as }) => as !== undefined).sort(byRank);
  const speaks = heard(service.schema, operation);
  const asks = operation.asksForUsage === true && speaks === OPENAI_CHAT_COMPLETIONS;
  const others: readonly (ir.AiModel | undefined)[] = [...renamed, undefined];
  return others.flatMap((model) =>
    (asks ? [true, false] : [false]).map((streams) => {
      const changes: JsonObject = {
        ...(model?.as !== undefined && { model: model.as }),
        ...(streams && { stream_options: { include_usage: true } }),
      };
      return {
        name: operation.name,
        match: {
          pathSpecifier: { case: 'path', value: operation.path },
          headers: [
            headerIs(':method', 'POST'),
            ...(model ? [modelIs(model)] : []),
            ...(streams ? [headerIs(aiHeaders.stream, 'true')] : []),
          ],
        },
        action: {
          case: 'route',
          value: {
            clusterSpecifier: { case: 'cluster', value: clusterName(service.pool ?? key) },
            timeout: durationOf(0),
            idleTimeout: durationOf(service.streamIdleMs),
            retryPolicy: { retryOn: nothingSent, numRetries: 1, ...elsewhere },
            ...(service.hostname !== undefined && {
              hostRewriteSpecifier: { case: 'hostRewriteLiteral' as const, value: service.hostname },
            }),
            pathRewrite: `${service.path}${path}`.replaceAll('%', '%%'),
          },
        },
        requestHeadersToRemove: Object.values(aiHeaders),
        typedPerFilterConfig: {
          ...(operation.spoken === ANTHROPIC_MESSAGES && inAnthropicWords),
          [usage]: perRoute(speaks),
          ...(speaks !== operation.spoken && {
            [toCommon]: perRoute(operation.spoken),
            [fromCommon]: perRoute(speaks),
          }),
          ...(Object.keys(changes).length > 0 && { [body]: mergeBody(changes) }),
        },
      } satisfies EnvoyRoute;
    }),
  );
}

const byRank = (a: ir.AiModel, b: ir.AiModel): number =>
  Number(b.match === 'exact') - Number(a.match === 'exact') || b.name.length - a.name.length;

const mergeBody = (changes: JsonObject): Any =>
  packAny(
    TransformConfigSchema,
    create(TransformConfigSchema, {
      requestTransformation: {
        bodyTransformation: {
          bodyFormat: { format: { case: 'jsonFormat', value: escaped(changes) } },
          action: BodyAction.MERGE,
        },
      },
    } satisfies MessageInitShape<typeof TransformConfigSchema>),
  );

/** Texts are formats of Envoy's. */
const escaped = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, typeof field === 'string' ? field.replaceAll('%', '%%') : field]),
  );

const unsupported = (): EnvoyRoute => ({
  name: 'unsupported',
  match: anyPath,
  ...errorAnswer(
    404,
    'invalid_request_error',
    'unsupported_operation',
    'the service that has this model cannot do what the path asks for: chat is POST /v1/chat/completions or /v1/messages',
  ),
});
