import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  HttpConnectionManager_CodecType as CodecType,
  HttpConnectionManager_PathWithEscapedSlashesAction as EscapedSlashes,
  type FilterChainSchema,
  HttpConnectionManagerSchema,
  ListenerSchema,
  packAny,
  RouterSchema,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
  SocketAddress_Protocol,
  TlsInspectorSchema,
  typeUrls,
  HttpProtocolOptions_HeadersWithUnderscoresAction as Underscores,
} from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import { accessLogs } from './access-log.ts';
import { corsFilter } from './cors.ts';
import { downstreamTls } from './downstream-tls.ts';
import type { EnvoyResource } from './envoy-resource.ts';
import { hostAuthFilters, routeAuthFilters } from './external-auth.ts';
import { earlyScope, ladderFilter, scopedRoutes } from './ladder.ts';
import { clientAuthoritiesName, listenerName } from './names.ts';
import { durationOf } from './proto-duration.ts';
import { versionOf } from './resource.ts';
import { sessionFilter } from './session.ts';
import { encodeStreamChains } from './stream-chain.ts';
import { translateUdpListener } from './udp-listener.ts';

const bufferLimitBytes = 32 * 1024;
const requestHeadersTimeoutMs = 10_000;
const idleTimeoutMs = 3_600_000;

// Field number of the encoded chains that are put behind the rest of the listener.
const listenerFilterChains = 3;

/** The stream table of an id. */
type FindTable = (id: string) => ir.StreamTable | undefined;

/**
 * LDS: one open port. Holds nothing that HTTP routes or certificates change: they come by SRDS and SDS, and no connection
 * is closed for them. A chain has the name of its Gateway listener, so that a change of one leaves the others'
 * connections. Hosts of streams are chains: Envoy changes chains in place, and drains those that are gone.
 */
export function translateListener(listener: ir.Listener, tableOf: FindTable): EnvoyResource {
  if (listener.transport === 'udp') return translateUdpListener(listener, tableOf);
  const name = listenerName(listener.key);
  const usesTls = listener.chains.some((chain) => chain.tls || (chain.kind === 'stream' && chain.sni));
  const message = create(ListenerSchema, {
    name,
    statPrefix: name.replaceAll('/', '_'),
    address: {
      address: {
        case: 'socketAddress',
        value: {
          protocol: SocketAddress_Protocol.TCP,
          address: listener.bind.address,
          portSpecifier: { case: 'portValue', value: listener.bind.port },
        },
      },
    },
    perConnectionBufferLimitBytes: bufferLimitBytes,
    // Two proxies on one host must not share a port silently: the second one shall fail and say so.
    enableReusePort: false,
    listenerFilters: usesTls
      ? [
          {
            name: 'envoy.filters.listener.tls_inspector',
            configType: { case: 'typedConfig', value: packAny(TlsInspectorSchema, create(TlsInspectorSchema)) },
          },
        ]
      : [],
    filterChains: listener.chains.flatMap((chain) => (chain.kind === 'http' ? filterChain(listener.key, chain) : [])),
  });
  const writer = new BinaryWriter().raw(toBinary(ListenerSchema, message));
  const streams = listener.chains.flatMap((chain) =>
    chain.kind === 'stream' ? encodeStreamChains(listener.key, chain, tableOf(chain.table)) : [],
  );
  for (const bytes of streams) writer.tag(listenerFilterChains, WireType.LengthDelimited).bytes(bytes);
  const body = writer.finish();
  return { typeUrl: typeUrls.listener, name, version: versionOf(body), body };
}

const filterChain = (listener: string, chain: ir.HttpChain): MessageInitShape<typeof FilterChainSchema> => ({
  name: chain.name,
  ...(chain.tls && {
    filterChainMatch: { serverNames: [...chain.tls.serverNames] },
    transportSocket: downstreamTls(chain.tls, ['h2', 'http/1.1'], clientAuthoritiesName(listener, chain.name)),
  }),
  filters: [
    {
      name: 'envoy.filters.network.http_connection_manager',
      configType: { case: 'typedConfig', value: connectionManager(chain) },
    },
  ],
});

/** The safe defaults of an edge proxy, after Envoy's own guide for them. */
function connectionManager({ table, asksFirst, accessLog }: ir.HttpChain) {
  const manager = create(HttpConnectionManagerSchema, {
    codecType: CodecType.AUTO,
    statPrefix: table.replaceAll('/', '_'),
    accessLog: accessLogs(accessLog),
    routeSpecifier: { case: 'scopedRoutes', value: scopedRoutes() },
    earlyHeaderMutationExtensions: [earlyScope(table)],
    httpFilters: [
      // First, so that all others see the route that was found.
      ladderFilter(table),
      // What these change in a request may lead it to another route.
      ...(asksFirst ? [...hostAuthFilters(), ladderFilter(table, 'again')] : []),
      corsFilter(),
      // After CORS: a preflight request carries no credentials that anybody could be asked about.
      ...routeAuthFilters(),
      sessionFilter(),
      {
        name: 'envoy.filters.http.router',
        configType: {
          case: 'typedConfig',
          value: packAny(RouterSchema, create(RouterSchema, { suppressEnvoyHeaders: true })),
        },
      },
    ],
    useRemoteAddress: true,
    normalizePath: true,
    mergeSlashes: true,
    pathWithEscapedSlashesAction: EscapedSlashes.UNESCAPE_AND_REDIRECT,
    serverHeaderTransformation: ServerHeader.PASS_THROUGH,
    upgradeConfigs: [{ upgradeType: 'websocket' }],
    commonHttpProtocolOptions: {
      idleTimeout: durationOf(idleTimeoutMs),
      headersWithUnderscoresAction: Underscores.REJECT_REQUEST,
    },
    http2ProtocolOptions: {
      maxConcurrentStreams: 100,
      initialStreamWindowSize: 64 * 1024,
      initialConnectionWindowSize: 1024 * 1024,
    },
    requestHeadersTimeout: durationOf(requestHeadersTimeoutMs),
    // Server-sent events and WebSockets may be silent for as long as they like; the Gateway API's timeouts say otherwise where wished.
    streamIdleTimeout: durationOf(0),
  });
  return packAny(HttpConnectionManagerSchema, manager);
}
