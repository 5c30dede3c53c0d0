import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  FilterChainSchema,
  type FilterSchema,
  packAny,
  TcpProxySchema,
  TypedExtensionConfigSchema,
  typeUrls,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { connectionLimit, downstreamTls, handshakeTimeout, prefixRanges } from '../downstream/index.ts';
import {
  adsSource,
  clientAuthoritiesName,
  clusterName,
  durationOf,
  type EnvoyResource,
  invalidCluster,
  resourceOf,
  streamChainName,
  streamName,
} from '../resource/index.ts';

// A listener is made again when one of its hosts comes or goes: the others' chains are not encoded again. A chain is of one listener only,
// so that it is remembered without it.
const encoded = new WeakMap<ir.StreamChain, Map<string, Encoded>>();

/** Whose connections of a host are taken. */
type Clients = Pick<ir.StreamHost, 'sources' | 'certificates'>;

/** The chains of a host, made for these clients. */
interface Encoded {
  readonly clients: Clients;
  readonly chains: readonly Uint8Array[];
}

/** Encoded envoy.config.listener.v3.FilterChains, for each host, in the order of hosts. */
export const encodeStreamChains = (
  listener: string,
  chain: ir.StreamChain,
  table: ir.StreamTable | undefined,
): readonly Uint8Array[] => {
  const before = encoded.get(chain);
  const encode = (host: string, clients: Clients): Encoded => {
    const known = before?.get(host);
    const isSame = known?.clients.sources === clients.sources && known?.clients.certificates === clients.certificates;
    if (known && isSame) return known;
    const chains = hostChains(streamChain(listener, chain, host, clients), clients.sources);
    return { clients, chains: chains.map((made) => toBinary(FilterChainSchema, create(FilterChainSchema, made))) };
  };
  const hosts = [...(table?.hosts.values() ?? [])].sort((a, b) => (a.host < b.host ? -1 : 1));
  const chains = new Map(
    hosts.map(({ host, sources, certificates }) => [host, encode(host, { sources, certificates } as Clients)]),
  );
  encoded.set(chain, chains);
  return [...chains.values()].flatMap((made) => made.chains);
};

type FilterChainInit = Extract<MessageInitShape<typeof FilterChainSchema>, { readonly $typeName?: undefined }>;

/**
 * A host's chain for those who may come in, and one that closes the connections of networks within theirs that may not; a connection that matches neither is closed
 * by Envoy. Envoy's filter for addresses (network RBAC) waits for the client's first byte: until then the backend is connected, and what
 * it says first reaches every client.
 */
function hostChains(chain: FilterChainInit, sources: ir.StreamSources | undefined): readonly FilterChainInit[] {
  if (!sources) return [chain];
  const { name = '', filterChainMatch = {} } = chain;
  const from = (networks: readonly ir.Cidr[]) => ({
    ...(filterChainMatch as object),
    sourcePrefixRanges: prefixRanges(networks),
  });
  const closed = { name: `${name}|denied`, filters: [closing(`closed/${name}`)] };
  // An empty list of networks would stand for all of them.
  if (sources.allow.length === 0) return [{ ...closed, filterChainMatch }];
  return [
    { ...chain, filterChainMatch: from(sources.allow) },
    ...(sources.deny.length > 0 ? [{ ...closed, filterChainMatch: from(sources.deny) }] : []),
  ];
}

/** Where its connections go is a resource of its own: a changed chain would have Envoy end the connections that it has. */
function streamChain(
  listener: string,
  { name, table, sni, tls: ends, maxConnections, closeDelayMs }: ir.StreamChain,
  host: string,
  { certificates }: Clients,
): FilterChainInit {
  const tls = ends && certificates ? demanding(ends, certificates) : ends;
  return {
    name: streamChainName(name, host),
    ...(sni && { filterChainMatch: { serverNames: host === '*' ? [] : [host] } }),
    // A terminated stream is whatever the backend speaks: no protocol is offered by ALPN.
    ...(tls && {
      transportSocket: downstreamTls(tls, [], clientAuthoritiesName(listener, name)),
      ...handshakeTimeout(tls),
    }),
    filters: [
      ...connectionLimit({ maxConnections, closeDelayMs }, table),
      {
        name: streamName(table, host),
        configType: {
          case: 'configDiscovery',
          value: { configSource: adsSource(), typeUrls: [`type.googleapis.com/${TcpProxySchema.typeName}`] },
        },
      },
    ],
  };
}

/** Who shows no fitting certificate fails the handshake, whatever the listener lets others do. */
const demanding = ({ clients, ...tls }: ir.ChainTls, { names }: ir.ClientCertificates): ir.ChainTls => ({
  ...tls,
  ...(clients && { clients: { ...clients, required: true, ...(names && { names }) } }),
});

/** A chain whose connections are accepted and closed. */
export const closedChain = ({ name, serverNames }: ir.ClosedChain): MessageInitShape<typeof FilterChainSchema> => ({
  name,
  filterChainMatch: { serverNames: [...serverNames] },
  filters: [closing(`closed/${name}`)],
});

const closing = (statistics: string): MessageInitShape<typeof FilterSchema> => ({
  name: 'envoy.filters.network.tcp_proxy',
  configType: { case: 'typedConfig', value: tcpProxy(statistics, { shares: [] }) },
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
function tcpProxy(table: string, { shares, idleMs }: Pick<ir.StreamHost, 'shares' | 'idleMs'>) {
  const clusters = shares.map(({ backend, weight }) => ({ name: target(backend), weight }));
  const [only] = clusters;
  const proxy = create(TcpProxySchema, {
    maxConnectAttempts: connectAttempts,
    ...(idleMs !== undefined && { idleTimeout: durationOf(idleMs) }),
    statPrefix: table.replaceAll('/', '_'),
    clusterSpecifier:
      clusters.length > 1
        ? { case: 'weightedClusters', value: { clusters } }
        : { case: 'cluster', value: only?.name ?? invalidCluster },
  });
  return packAny(TcpProxySchema, proxy);
}

const target = (backend: string | undefined): string => (backend === undefined ? invalidCluster : clusterName(backend));
