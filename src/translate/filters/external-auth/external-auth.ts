import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  ApiVersion,
  CompositePerRouteSchema,
  CompositeSchema,
  ExecuteFilterActionSchema,
  type ExtAuthz,
  ExtAuthzSchema,
  type HeaderMutationRulesSchema,
  type HttpFilterSchema,
  type ListStringMatcherSchema,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { maxAuthChain, ownHeaderPrefix } from '../../../ir/index.ts';
import { clusterName, durationOf, invalidCluster } from '../../resource/index.ts';

/** How long an answer is waited for; the API has no word for it, and Envoy's 200 ms is short for a login service. */
const timeoutMs = 10_000;

const unresolvedStatus = 500;

/**
 * What an answer may never change: how long the request is, how it travels, and what we tell ourselves by headers. An
 * Envoy without our agent takes no expression that is much longer.
 */
const framingHeaders = `content-length|transfer-encoding|connection|upgrade|${ownHeaderPrefix}.*`;

/** What depends on whether the route is chosen already. */
interface Routing {
  readonly clearRouteCache?: boolean;
  readonly decoderHeaderMutationRules: MessageInitShape<typeof HeaderMutationRulesSchema>;
}

/** Nor where a request goes whose route is chosen already; before that, all but its host. */
const afterRouting: Routing = {
  decoderHeaderMutationRules: { disallowExpression: { regex: `:.*|host|${framingHeaders}` } },
};
const beforeRouting: Routing = {
  clearRouteCache: true,
  decoderHeaderMutationRules: {
    allowAllRouting: true,
    disallowExpression: { regex: `:authority|:scheme|host|${framingHeaders}` },
  },
};

/** One filter for each who may be asked in a row: of a chain within one, Envoy 1.40 goes on behind the first that has to wait. */
const slotsOf = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}.${index + 1}`);
/** A rule's, and behind them those of the backendRef that was drawn. */
const routeSlots = slotsOf('gatewright.auth', 2 * maxAuthChain);
const hostSlots = slotsOf('gatewright.first', maxAuthChain);

/**
 * In every chain, and they do nothing for routes that ask nobody. The filters that ask are in the route, whole: Envoy reads
 * the lists of headers nowhere but in a filter's own configuration, and with a filter in the listener each new list would
 * end connections. They are made when the request gets here, so a route that was found late counts too.
 */
export const routeAuthFilters = (): MessageInitShape<typeof HttpFilterSchema>[] => routeSlots.map(emptySlot);

/** Whom to ask about requests of one route, as its `typed_per_filter_config`. */
export const routeAuth = (auths: readonly ir.ExternalAuth[] = []): Record<string, Any> =>
  inSlots(routeSlots, auths, afterRouting);

/** In chains with virtual hosts that ask before a route is chosen. The ladder has to be climbed again behind them. */
export const hostAuthFilters = (): MessageInitShape<typeof HttpFilterSchema>[] => hostSlots.map(emptySlot);

/** Whom to ask about all requests of a virtual host, as its `typed_per_filter_config`. */
export const hostAuth = (auths: readonly ir.ExternalAuth[] = []): Record<string, Any> =>
  inSlots(hostSlots, auths, beforeRouting);

const emptySlot = (name: string): MessageInitShape<typeof HttpFilterSchema> => ({
  name,
  configType: { case: 'typedConfig', value: packAny(CompositeSchema, create(CompositeSchema)) },
});

function inSlots(slots: readonly string[], auths: readonly ir.ExternalAuth[], routing: Routing): Record<string, Any> {
  // Nobody may be left out in silence: the graph admits no more than there is room for.
  if (auths.length > slots.length) throw new RangeError(`${auths.length} to ask, and room for ${slots.length}`);
  return Object.fromEntries(auths.map((auth, index) => [slots[index], ask(auth, routing)]));
}

/** The filter is made for whatever request comes: the matcher has nothing to compare. */
function ask(auth: ir.ExternalAuth, routing: Routing): Any {
  const typedConfig = { name: 'auth', typedConfig: packAny(ExtAuthzSchema, extAuthz(auth, routing)) };
  const action = create(ExecuteFilterActionSchema, { typedConfig });
  const onMatch = {
    case: 'action' as const,
    value: { name: 'ask', typedConfig: packAny(ExecuteFilterActionSchema, action) },
  };
  return packAny(CompositePerRouteSchema, create(CompositePerRouteSchema, { matcher: { onNoMatch: { onMatch } } }));
}

function extAuthz(auth: ir.ExternalAuth, routing: Routing): ExtAuthz {
  const { backend, requestHeaders, maxBodyBytes } = auth;
  return create(ExtAuthzSchema, {
    ...routing,
    services: auth.protocol === 'grpc' && backend !== undefined ? grpcService(auth, backend) : httpService(auth),
    transportApiVersion: ApiVersion.V3,
    ...(backend === undefined && { statusOnError: { code: unresolvedStatus } }),
    ...(requestHeaders.length > 0 && { allowedHeaders: namesOf(requestHeaders) }),
    disallowedHeaders: ownHeaders,
    ...(maxBodyBytes !== undefined && { withRequestBody: { maxRequestBytes: maxBodyBytes } }),
  });
}

const grpcService = ({ authority }: ir.ExternalAuth, backend: string) => ({
  case: 'grpcService' as const,
  value: {
    targetSpecifier: { case: 'envoyGrpc' as const, value: { clusterName: clusterName(backend), authority } },
    timeout: durationOf(timeoutMs),
  },
});

const httpService = ({ backend, authority, pathPrefix = '', responseHeaders }: ir.ExternalAuth) => ({
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
    authorizationResponse: {
      allowedUpstreamHeaders: responseHeaders.length > 0 ? namesOf(responseHeaders) : anyName,
    },
  },
});

/** A server that is asked by gRPC is sent all headers where the filter names none. */
const ownHeaders: MessageInitShape<typeof ListStringMatcherSchema> = {
  patterns: [{ matchPattern: { case: 'prefix', value: ownHeaderPrefix } }],
};

const anyName: MessageInitShape<typeof ListStringMatcherSchema> = {
  patterns: [{ matchPattern: { case: 'safeRegex', value: { regex: '.*' } } }],
};

const namesOf = (names: readonly string[]): MessageInitShape<typeof ListStringMatcherSchema> => ({
  patterns: names.map((name) => ({ matchPattern: { case: 'exact', value: name }, ignoreCase: true })),
});
