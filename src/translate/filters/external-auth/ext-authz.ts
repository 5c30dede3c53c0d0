import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  ApiVersion,
  type ExtAuthz,
  ExtAuthzSchema,
  type HeaderMutationRulesSchema,
  type HeaderValueSchema,
  type ListStringMatcherSchema,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { ownHeaderPrefix } from '../../../ir/index.ts';
import { askedAgain, clusterName, durationOf, invalidCluster, retryOnHeader } from '../../resource/index.ts';
import { fillSlot } from '../slot.ts';

/** How long Gatewright waits for an answer; the API has no field for it, and Envoy's 200 ms is short for a login service. */
const defaultTimeoutMs = 10_000;

/** Envoy ends each try of a question by HTTP after this time, if it may be asked again; no field changes that. */
const tryTimeoutMs = 10_000;

const unresolvedStatus = 500;

/**
 * What an answer may never change: the length of the request, how it travels, and our own headers. An Envoy without our
 * agent takes no expression that is much longer.
 */
const framingHeaders = `content-length|transfer-encoding|connection|upgrade|${ownHeaderPrefix}.*`;

/** What depends on whether the route is chosen already. */
export interface Routing {
  readonly clearRouteCache?: boolean;
  readonly decoderHeaderMutationRules: MessageInitShape<typeof HeaderMutationRulesSchema>;
}

/** Nor where a request goes whose route is chosen already; before that, all but its host. */
export const afterRouting: Routing = {
  decoderHeaderMutationRules: { disallowExpression: { regex: `:.*|host|${framingHeaders}` } },
};
export const beforeRouting: Routing = {
  clearRouteCache: true,
  decoderHeaderMutationRules: {
    allowAllRouting: true,
    disallowExpression: { regex: `:authority|:scheme|host|${framingHeaders}` },
  },
};

/** The whole filter, as what a route puts into a slot. It is made for every request. */
export const askServer = (auth: ir.ExternalAuth, routing: Routing): Any =>
  fillSlot('auth', packAny(ExtAuthzSchema, extAuthz(auth, routing)));

/** A server to ask, with what a policy may say of it beside a route's filter. */
type AskedServer = ir.ExternalAuth & Partial<ir.ForwardAuth>;

type AddedHeaders = readonly MessageInitShape<typeof HeaderValueSchema>[];

/** The filter itself. `added`: headers of the question alone, in Envoy's format; the backend sees none of them. */
export function extAuthz(auth: AskedServer, routing: Routing, added: AddedHeaders = []): ExtAuthz {
  const { backend, requestHeaders, maxBodyBytes, failOpen, statusOnError } = auth;
  const status = backend === undefined ? unresolvedStatus : statusOnError;
  return create(ExtAuthzSchema, {
    ...routing,
    services: auth.protocol === 'grpc' && backend !== undefined ? grpcService(auth, backend) : httpService(auth, added),
    transportApiVersion: ApiVersion.V3,
    ...(status !== undefined && { statusOnError: { code: status } }),
    // Where no server can be asked, none is let in.
    ...(failOpen && backend !== undefined && { failureModeAllow: true }),
    ...(requestHeaders.length > 0 && { allowedHeaders: namesOf(requestHeaders) }),
    disallowedHeaders: ownHeaders,
    ...(maxBodyBytes !== undefined && { withRequestBody: { maxRequestBytes: maxBodyBytes } }),
  });
}

const grpcService = ({ authority, timeoutMs = defaultTimeoutMs }: AskedServer, backend: string) => ({
  case: 'grpcService' as const,
  value: {
    targetSpecifier: {
      case: 'envoyGrpc' as const,
      value: { clusterName: clusterName(backend), authority },
    },
    timeout: durationOf(timeoutMs),
    // Not that of envoyGrpc, which is for streams of xDS alone.
    retryPolicy: askedAgain,
  },
});

const httpService = (
  {
    backend,
    authority,
    pathPrefix = '',
    path = '',
    responseHeaders,
    toClient = [],
    timeoutMs = defaultTimeoutMs,
  }: AskedServer,
  added: AddedHeaders,
) => ({
  case: 'httpService' as const,
  value: {
    serverUri: {
      uri: `http://${authority}`,
      httpUpstreamType: {
        case: 'cluster' as const,
        value: backend === undefined ? invalidCluster : clusterName(backend),
      },
      timeout: durationOf(timeoutMs),
    },
    pathPrefix,
    pathOverride: path,
    // An answer that may take longer is worth more than another try.
    ...(timeoutMs <= tryTimeoutMs && { retryPolicy: askedAgain }),
    ...(added.length > 0 && { authorizationRequest: { headersToAdd: [...added] } }),
    authorizationResponse: {
      allowedUpstreamHeaders: responseHeaders.length > 0 ? namesOf(responseHeaders) : anyName,
      ...(toClient.length > 0 && { allowedClientHeadersOnSuccess: namesOf(toClient) }),
    },
  },
});

/** A gRPC server gets all headers where the filter names none. */
const ownHeaders: MessageInitShape<typeof ListStringMatcherSchema> = {
  patterns: [
    { matchPattern: { case: 'prefix', value: ownHeaderPrefix } },
    { matchPattern: { case: 'exact', value: retryOnHeader } },
  ],
};

const anyName: MessageInitShape<typeof ListStringMatcherSchema> = {
  patterns: [{ matchPattern: { case: 'safeRegex', value: { regex: '.*' } } }],
};

const namesOf = (names: readonly string[]): MessageInitShape<typeof ListStringMatcherSchema> => ({
  patterns: names.map((name) => ({ matchPattern: { case: 'exact', value: name }, ignoreCase: true })),
});
