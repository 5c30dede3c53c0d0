import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { FilterChainSchema, packAny, TcpProxySchema } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import { downstreamTls } from './downstream-tls.ts';
import { clusterName, invalidCluster, streamChainName } from './names.ts';

// A listener is made anew when any of its routes changes: what did not change is not encoded again.
const encoded = new WeakMap<ir.StreamChain, WeakMap<ir.StreamHost, Uint8Array>>();

/** Encoded envoy.config.listener.v3.FilterChains, one for each host, in the order of hosts. */
export const encodeStreamChains = (chain: ir.StreamChain, table: ir.StreamTable | undefined): readonly Uint8Array[] =>
  [...(table?.hosts.values() ?? [])]
    .sort((a, b) => (a.host < b.host ? -1 : 1))
    .map((host) => encodeStreamChain(chain, host));

function encodeStreamChain(chain: ir.StreamChain, host: ir.StreamHost): Uint8Array {
  const known = encoded.get(chain) ?? new WeakMap<ir.StreamHost, Uint8Array>();
  encoded.set(chain, known);
  const bytes = known.get(host) ?? toBinary(FilterChainSchema, create(FilterChainSchema, streamChain(chain, host)));
  known.set(host, bytes);
  return bytes;
}

/** Named for listener and host, so that a change of one host leaves the connections of the others. */
function streamChain({ name, table, sni, tls }: ir.StreamChain, host: ir.StreamHost) {
  const message: MessageInitShape<typeof FilterChainSchema> = {
    name: streamChainName(name, host.host),
    ...(sni && { filterChainMatch: { serverNames: host.host === '*' ? [] : [host.host] } }),
    // A terminated stream is whatever the backend speaks: no protocol is offered by ALPN.
    ...(tls && { transportSocket: downstreamTls(tls, []) }),
    filters: [
      { name: 'envoy.filters.network.tcp_proxy', configType: { case: 'typedConfig', value: tcpProxy(table, host) } },
    ],
  };
  return message;
}

/** A connection for a cluster that is not there is accepted and closed. */
function tcpProxy(table: string, { shares }: ir.StreamHost) {
  const clusters = shares.map(({ backend, weight }) => ({ name: target(backend), weight }));
  const [only] = clusters;
  const proxy = create(TcpProxySchema, {
    statPrefix: table.replaceAll('/', '_'),
    clusterSpecifier:
      clusters.length > 1
        ? { case: 'weightedClusters', value: { clusters } }
        : { case: 'cluster', value: only?.name ?? invalidCluster },
  });
  return packAny(TcpProxySchema, proxy);
}

const target = (backend: string | undefined): string => (backend === undefined ? invalidCluster : clusterName(backend));
