import { create } from '@bufbuild/protobuf';
import {
  HttpConnectionManager_ForwardClientCertDetails as ClientCertDetails,
  HttpConnectionManager_CodecType as CodecType,
  HttpConnectionManager_PathWithEscapedSlashesAction as EscapedSlashes,
  HttpConnectionManagerSchema,
  packAny,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
  HttpProtocolOptions_HeadersWithUnderscoresAction as Underscores,
} from '../../envoy/index.ts';
import { mergePatch } from '../../envoy-patch/index.ts';
import type * as ir from '../../ir/index.ts';
import { chainFilters } from '../chains/index.ts';
import {
  geoFilters,
  headerMutations,
  hostAuthFilters,
  repeatSafeMethods,
  withoutGeoHeaders,
} from '../filters/index.ts';
import { earlyScope, fallthroughFilter, hostCheckReply, scopedRoutes } from '../hosts/index.ts';
import { durationOf, edgeFilter, http1Options, http2Keepalive, routerFilter } from '../resource/index.ts';
import { accessLogs } from './access-log.ts';
import { addressDetection, addressHeader, type Peer, unbelieved } from './client-address.ts';
import { earlyEdits, forwardedHeaders, originalForwarded, requestIds } from './client-headers.ts';
import { healthAnswer, withoutHealthChecks } from './health-answer.ts';
import { tracing } from './tracing.ts';
import { trafficLogs } from './traffic-log.ts';

const requestHeadersTimeoutMs = 10_000;
const idleTimeoutMs = 3_600_000;
/** What is left of an answer, of which the client takes nothing any more. */
const flushTimeoutMs = 300_000;
/** Of HTTP/2 and HTTP/3. */
export const concurrentStreams = 100;
const streamWindowBytes = 64 * 1024;
const connectionWindowBytes = 1024 * 1024;

const underscores = {
  Reject: Underscores.REJECT_REQUEST,
  Drop: Underscores.DROP_HEADER,
  Allow: Underscores.ALLOW,
} as const;

const escapedSlashes = {
  UnescapeAndRedirect: EscapedSlashes.UNESCAPE_AND_REDIRECT,
  UnescapeAndForward: EscapedSlashes.UNESCAPE_AND_FORWARD,
  Reject: EscapedSlashes.REJECT_REQUEST,
  Keep: EscapedSlashes.KEEP_UNCHANGED,
} as const;

/** A chain's requests, on connections of HTTP/1.1 and HTTP/2, or of HTTP/3, from some of its clients. */
export function connectionManager(
  chain: ir.HttpChain,
  codec: 'tcp' | 'quic',
  peer: Peer,
  patch: ir.ListenerPatch | undefined,
) {
  const { table, accessLog, client = {} } = chain;
  const { path = {} } = client;
  const manager = create(HttpConnectionManagerSchema, {
    codecType: codec === 'quic' ? CodecType.HTTP3 : CodecType.AUTO,
    statPrefix: table.replaceAll('/', '_'),
    accessLog: withoutHealthChecks([...accessLogs(accessLog, table), ...trafficLogs(chain)], client),
    ...(client.tracing && { tracing: tracing(client.tracing) }),
    routeSpecifier: { case: 'scopedRoutes', value: scopedRoutes() },
    earlyHeaderMutationExtensions: [
      ...originalForwarded(client),
      ...unbelieved(client, peer),
      ...earlyEdits(client),
      ...(chain.geo ? [withoutGeoHeaders(chain.geo)] : []),
      earlyScope(table),
    ],
    httpFilters: httpFilters(chain, codec, peer),
    ...addressDetection(client, peer),
    ...requestIds(client),
    stripTrailingHostDot: (client.trailingDot ?? 'Strip') === 'Strip',
    localReplyConfig: hostCheckReply,
    normalizePath: path.normalize ?? true,
    mergeSlashes: path.mergeSlashes ?? true,
    pathWithEscapedSlashesAction: escapedSlashes[path.escapedSlashes ?? 'UnescapeAndRedirect'],
    serverHeaderTransformation: ServerHeader.PASS_THROUGH,
    upgradeConfigs: [...new Set(['websocket', ...(client.http1?.upgrades ?? [])])].map((upgradeType) => ({
      upgradeType,
    })),
    ...(client.schemeOfBackend && { schemeHeaderTransformation: { matchUpstream: true } }),
    ...certificateHeader(chain),
    ...protocolOptions(client),
    ...timeouts(client),
  });
  if (patch?.connectionManager) mergePatch('connectionManager', manager, patch.connectionManager);
  return packAny(HttpConnectionManagerSchema, manager);
}

/**
 * Where other certificates come in too, the header would say what a stranger writes into his own. What clients send in it is removed, unless all that may
 * come in are proxies that are pinned.
 */
function certificateHeader({ tls, client }: ir.HttpChain) {
  const mode = client?.clientCertificateHeader;
  if (!mode || !tls?.clients?.required) return {};
  const isKept = mode === 'keep' || mode === 'append';
  if (isKept && !tls.clients.pins) return {};
  if (mode === 'keep') return { forwardClientCertDetails: ClientCertDetails.FORWARD_ONLY };
  return {
    forwardClientCertDetails: isKept ? ClientCertDetails.APPEND_FORWARD : ClientCertDetails.SANITIZE_SET,
    setCurrentClientCertDetails: {
      subject: true,
      uri: true,
      dns: true,
      ...(mode === 'certificate' && { cert: true }),
      ...(mode === 'chain' && { chain: true }),
    },
  };
}

function httpFilters(chain: ir.HttpChain, codec: 'tcp' | 'quic', peer: Peer) {
  const { table, preRoutingAuth, http3, client = {} } = chain;
  return [
    // Before whatever may answer: it is for every answer.
    edgeFilter({
      http3: codec === 'tcp' ? http3 : undefined,
      request: [...addressHeader(peer), ...forwardedHeaders(client, peer, table)],
      response: client.responseHeaders ? headerMutations(client.responseHeaders) : [],
    }),
    repeatSafeMethods(),
    ...healthAnswer(client),
    // So that all others see the route that was found.
    fallthroughFilter(table),
    // What these change in a request may lead it to another route.
    ...(preRoutingAuth ? [...hostAuthFilters(), fallthroughFilter(table, 'again')] : []),
    // Behind what chooses routes: what is found here never decides it, on whichever host.
    ...(chain.geo ? geoFilters(chain.geo) : []),
    ...chainFilters(table),
    routerFilter(!client.envoyHeaders),
  ];
}

/** The safe defaults of an edge proxy, after Envoy's own guide for them, with what a policy says instead. */
function protocolOptions({
  timeouts: times = {},
  limits = {},
  http1,
  http2 = {},
  underscores: names = 'Reject',
}: ir.ClientSettings) {
  const { maxConnectionDurationMs: age = 0, maxStreamDurationMs } = times;
  const http1Settings = http1Options(http1);
  return {
    commonHttpProtocolOptions: {
      idleTimeout: durationOf(times.connectionIdleMs ?? idleTimeoutMs),
      headersWithUnderscoresAction: underscores[names],
      ...(age > 0 && { maxConnectionDuration: durationOf(age) }),
      ...(maxStreamDurationMs !== undefined && { maxStreamDuration: durationOf(maxStreamDurationMs) }),
      ...(limits.requestHeaders !== undefined && { maxHeadersCount: limits.requestHeaders }),
      ...(limits.requestsPerConnection !== undefined && { maxRequestsPerConnection: limits.requestsPerConnection }),
    },
    ...(limits.requestHeadersKiB !== undefined && { maxRequestHeadersKb: limits.requestHeadersKiB }),
    ...(http1Settings && { httpProtocolOptions: http1Settings }),
    http2ProtocolOptions: {
      maxConcurrentStreams: http2.maxConcurrentStreams ?? concurrentStreams,
      initialStreamWindowSize: http2.initialStreamWindowBytes ?? streamWindowBytes,
      initialConnectionWindowSize: http2.initialConnectionWindowBytes ?? connectionWindowBytes,
      ...(http2.invalidEndsStream && { overrideStreamErrorOnInvalidHttpMessage: true }),
      ...(http2.keepalive && { connectionKeepalive: http2Keepalive(http2.keepalive) }),
    },
  };
}

const timeouts = ({ timeouts: times = {} }: ir.ClientSettings) => ({
  requestHeadersTimeout: durationOf(times.requestHeadersMs ?? requestHeadersTimeoutMs),
  ...(times.requestMs !== undefined && { requestTimeout: durationOf(times.requestMs) }),
  // Server-sent events and WebSockets may be silent for as long as they like; routes limit that by the Gateway API's timeouts.
  streamIdleTimeout: durationOf(times.streamIdleMs ?? 0),
  streamFlushTimeout: durationOf(flushTimeoutMs),
});
