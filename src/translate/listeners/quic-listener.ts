import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type FilterChainSchema,
  ListenerSchema,
  packAny,
  QuicDownstreamTransportSchema,
  typeUrls,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { boundAddress, downstreamTlsContext, prefixRanges } from '../downstream/index.ts';
import { clientAuthoritiesName, type EnvoyResource, listenerName, resourceOf } from '../resource/index.ts';
import { peersOf } from './client-address.ts';
import { concurrentStreams, connectionManager } from './connection-manager.ts';
import { withoutGeo } from './geo-lookup.ts';

/** LDS: HTTP/3 on a UDP port. Its chains are those of the TCP port that serve HTTP/3, and their requests use the same tables. */
export function translateQuicListener(listener: ir.Listener, buffer: number): EnvoyResource {
  const { key, bind, chains, bufferBytes, maxConcurrentStreams = concurrentStreams } = listener;
  const name = listenerName(key);
  const message = create(ListenerSchema, {
    name,
    statPrefix: name.replaceAll('/', '_'),
    address: boundAddress(bind, 'UDP'),
    perConnectionBufferLimitBytes: bufferBytes ?? buffer,
    // Without it Envoy takes no UDP listener on more than one worker.
    enableReusePort: true,
    udpListenerConfig: {
      // Envoy takes it from here alone, and not from the chain's connection manager, which has a field for it too.
      quicOptions: { quicProtocolOptions: { maxConcurrentStreams } },
      downstreamSocketConfig: { preferGro: true },
    },
    filterChains: chains.flatMap((chain) =>
      chain.kind === 'http' && chain.tls ? quicChains(listener, chain, chain.tls) : [],
    ),
  });
  const resource = resourceOf(typeUrls.listener, name, ListenerSchema, message);
  const plain = withoutGeo(listener);
  return plain ? { ...resource, withoutGeo: translateQuicListener(plain, buffer) } : resource;
}

function quicChains(
  { key, patch }: ir.Listener,
  chain: ir.HttpChain,
  tls: ir.ChainTls,
): MessageInitShape<typeof FilterChainSchema>[] {
  // QUIC is TLS 1.3 by itself.
  const { parameters: { curves } = {}, ...rest } = tls;
  const transport = create(QuicDownstreamTransportSchema, {
    downstreamTlsContext: downstreamTlsContext(
      { ...rest, ...(curves && { parameters: { curves } }) },
      ['h3'],
      clientAuthoritiesName(key, chain.name),
    ),
  });
  return peersOf(chain).map(({ name, peer, networks }) => ({
    name,
    filterChainMatch: {
      serverNames: [...tls.serverNames],
      ...(networks && { sourcePrefixRanges: prefixRanges(networks) }),
    },
    transportSocket: {
      name: 'envoy.transport_sockets.quic',
      configType: { case: 'typedConfig', value: packAny(QuicDownstreamTransportSchema, transport) },
    },
    filters: [
      {
        name: 'envoy.filters.network.http_connection_manager',
        configType: { case: 'typedConfig', value: connectionManager(chain, 'quic', peer, patch) },
      },
    ],
  }));
}
