import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { FilterChainSchema, packAny, TcpProxySchema, TypedExtensionConfigSchema, typeUrls } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { connectionLimit, downstreamTls, handshakeTimeout } from '../downstream/index.ts';
import {
  adsSource,
  clientAuthoritiesName,
  clusterName,
  type EnvoyResource,
  invalidCluster,
  resourceOf,
  streamChainName,
  streamName,
} from '../resource/index.ts';

// A listener is made again when one of its hosts comes or goes: the others' chains are not encoded again. A chain is of one listener only,
// so that it is remembered without it.
const encoded = new WeakMap<ir.StreamChain, Map<string, Uint8Array>>();

/** Encoded envoy.config.listener.v3.FilterChains, one for each host, in the order of hosts. */
export const encodeStreamChains = (
  listener: string,
  chain: ir.StreamChain,
  table: ir.StreamTable | undefined,
): readonly Uint8Array[] => {
  const before = encoded.get(chain);
  const encode = (host: string): Uint8Array =>
    toBinary(FilterChainSchema, create(FilterChainSchema, streamChain(listener, chain, host)));
  const hosts = [...(table?.hosts.keys() ?? [])].sort();
  const chains = new Map(hosts.map((host) => [host, before?.get(host) ?? encode(host)]));
  encoded.set(chain, chains);
  return [...chains.values()];
};

/** Where its connections go is a resource of its own: a changed chain would have Envoy end the connections that it has. */
function streamChain(listener: string, { name, table, sni, tls, maxConnections }: ir.StreamChain, host: string) {
  const message: MessageInitShape<typeof FilterChainSchema> = {
    name: streamChainName(name, host),
    ...(sni && { filterChainMatch: { serverNames: host === '*' ? [] : [host] } }),
    // A terminated stream is whatever the backend speaks: no protocol is offered by ALPN.
    ...(tls && {
      transportSocket: downstreamTls(tls, [], clientAuthoritiesName(listener, name)),
      ...handshakeTimeout(tls),
    }),
    filters: [
      ...connectionLimit(maxConnections, table),
      {
        name: streamName(table, host),
        configType: {
          case: 'configDiscovery',
          value: { configSource: adsSource(), typeUrls: [`type.googleapis.com/${TcpProxySchema.typeName}`] },
        },
      },
    ],
  };
  return message;
}

/** A chain whose connections are accepted and closed. */
export const closedChain = ({ name, serverNames }: ir.ClosedChain): MessageInitShape<typeof FilterChainSchema> => ({
  name,
  filterChainMatch: { serverNames: [...serverNames] },
  filters: [
    {
      name: 'envoy.filters.network.tcp_proxy',
      configType: { case: 'typedConfig', value: tcpProxy(`closed/${name}`, { shares: [] }) },
    },
  ],
});

/** ECDS: where connections of a host go. New connections follow it; open connections stay where they are. */
export function translateStream(table: string, host: ir.StreamHost): EnvoyResource {
  const name = streamName(table, host.host);
  const message = create(TypedExtensionConfigSchema, { name, typedConfig: tcpProxy(table, host) });
  return resourceOf(typeUrls.extension, name, TypedExtensionConfigSchema, message);
}

/** An endpoint that is gone refuses connections before proxies know: another is tried, as requests are. Nothing has been sent. */
const connectAttempts = 3;

/** A connection for a cluster that is not there is accepted and closed. */
function tcpProxy(table: string, { shares }: Pick<ir.StreamHost, 'shares'>) {
  const clusters = shares.map(({ backend, weight }) => ({ name: target(backend), weight }));
  const [only] = clusters;
  const proxy = create(TcpProxySchema, {
    maxConnectAttempts: connectAttempts,
    statPrefix: table.replaceAll('/', '_'),
    clusterSpecifier:
      clusters.length > 1
        ? { case: 'weightedClusters', value: { clusters } }
        : { case: 'cluster', value: only?.name ?? invalidCluster },
  });
  return packAny(TcpProxySchema, proxy);
}

const target = (backend: string | undefined): string => (backend === undefined ? invalidCluster : clusterName(backend));
