import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  HttpConnectionManager_CodecType as CodecType,
  DownstreamTlsContextSchema,
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
import { adsSource } from './ads-source.ts';
import { clientValidation } from './authorities.ts';
import { corsFilter } from './cors.ts';
import type { EnvoyResource } from './envoy-resource.ts';
import { earlyScope, ladderFilter, scopedRoutes } from './ladder.ts';
import { clientAuthoritiesName, listenerName, secretName } from './names.ts';
import { durationOf } from './proto-duration.ts';
import { resourceOf } from './resource.ts';

const bufferLimitBytes = 32 * 1024;
const requestHeadersTimeoutMs = 10_000;
const idleTimeoutMs = 3_600_000;

/**
 * LDS: one open port. Holds nothing that routes or certificates change: they come by SRDS and SDS, and no connection is
 * closed for them. A chain has the name of its Gateway listener, so that a change of one leaves the others' connections.
 */
export function translateListener(listener: ir.Listener): EnvoyResource {
  const name = listenerName(listener.key);
  const usesTls = listener.chains.some(({ tls }) => tls);
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
    filterChains: listener.chains.map((chain) => filterChain(listener.key, chain)),
  });
  return resourceOf(typeUrls.listener, name, ListenerSchema, message);
}

const filterChain = (listener: string, chain: ir.Chain): MessageInitShape<typeof FilterChainSchema> => ({
  name: chain.name,
  ...(chain.tls && {
    filterChainMatch: { serverNames: [...chain.tls.serverNames] },
    transportSocket: {
      name: 'envoy.transport_sockets.tls',
      configType: { case: 'typedConfig', value: downstreamTls(listener, chain.name, chain.tls) },
    },
  }),
  filters: [
    {
      name: 'envoy.filters.network.http_connection_manager',
      configType: { case: 'typedConfig', value: connectionManager(chain) },
    },
  ],
});

function downstreamTls(listener: string, chain: string, { certificates, clients }: ir.ChainTls) {
  const context = create(DownstreamTlsContextSchema, {
    ...(clients && { requireClientCertificate: clients.required }),
    commonTlsContext: {
      alpnProtocols: ['h2', 'http/1.1'],
      tlsCertificateSdsSecretConfigs: certificates.map((key) => ({ name: secretName(key), sdsConfig: adsSource() })),
      ...(clients && { validationContextType: clientValidation(clientAuthoritiesName(listener, chain), clients) }),
    },
  });
  return packAny(DownstreamTlsContextSchema, context);
}

/** The safe defaults of an edge proxy, after Envoy's own guide for them. */
function connectionManager({ table }: ir.HttpChain) {
  const manager = create(HttpConnectionManagerSchema, {
    codecType: CodecType.AUTO,
    statPrefix: table.replaceAll('/', '_'),
    routeSpecifier: { case: 'scopedRoutes', value: scopedRoutes() },
    earlyHeaderMutationExtensions: [earlyScope(table)],
    httpFilters: [
      // First, so that all others see the route that was found.
      ladderFilter(table),
      corsFilter(),
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
