import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { probeListener } from '../../contracts/index.ts';
import { type FilterChainSchema, ListenerSchema, typeUrls } from '../../envoy/index.ts';
import { mergePatch } from '../../envoy-patch/index.ts';
import type * as ir from '../../ir/index.ts';
import {
  boundAddress,
  connectionLimit,
  downstreamTls,
  handshakeTimeout,
  handshakeTimeoutMs,
  prefixRanges,
} from '../downstream/index.ts';
import { listenerProvenance } from '../hosts/index.ts';
import { closedChain, encodeStreamChains, translateUdpListener } from '../l4/index.ts';
import {
  bufferLimitBytes,
  clientAuthoritiesName,
  durationOf,
  type EnvoyResource,
  encodedResource,
  listenerName,
  tcpKeepalive,
} from '../resource/index.ts';
import { peersOf } from './client-address.ts';
import { connectionManager } from './connection-manager.ts';
import { withoutGeo } from './geo-lookup.ts';
import { listenerFilters } from './listener-filters.ts';
import { patchedProvenance } from './patched-listener.ts';
import { translateQuicListener } from './quic-listener.ts';

// Field number of the encoded chains that are put behind the rest of the listener.
const listenerFilterChains = 3;

/** The stream table of an id. */
export type FindTable = (id: string) => ir.StreamTable | undefined;

/**
 * LDS: one open port. Holds nothing that HTTP routes or certificates change: they come by SRDS and SDS, and no connection
 * is closed for them. A chain has the name of its Gateway listener, so that a change of one leaves the others'
 * connections. Hosts of streams are chains: Envoy changes chains in place, and drains those that are gone.
 */
export function translateListener(listener: ir.Listener, tableOf: FindTable): EnvoyResource {
  if (listener.transport === 'udp') return translateUdpListener(listener, tableOf);
  const own = (of: ir.Listener) => translateListener(of, tableOf);
  if (listener.transport === 'quic') return withPatch(listener, translateQuicListener(listener, bufferLimitBytes), own);
  if (listener.chains.length === 1) return withPatch(listener, tcpListener(listener, tableOf), own);
  return withChains(listener, listener.chains, tableOf);
}

function withPatch(
  listener: ir.Listener,
  resource: EnvoyResource,
  translate: (listener: ir.Listener) => EnvoyResource,
): EnvoyResource {
  const provenance = patchedProvenance(listener, resource, translate);
  return provenance ? { ...resource, provenance } : resource;
}

/** The listener with some of its chains closed, perhaps. */
function withChains(listener: ir.Listener, chains: readonly ir.Chain[], tableOf: FindTable): EnvoyResource {
  const provenance = listenerProvenance(listener, chains, {
    probe: (some) => tcpListener({ ...listener, chains: some }, tableOf, probeListener),
    make: (others) => withChains(listener, others, tableOf),
    closed: (chain) => closedChainOf(chain, tableOf),
  });
  const made = { ...tcpListener({ ...listener, chains }, tableOf), provenance };
  return withPatch(listener, made, (of) => withChains(of, chains, tableOf));
}

/** Ends the connections of a chain. */
export const closedChainOf = (chain: ir.Chain, tableOf: FindTable): ir.ClosedChain => ({
  kind: 'closed',
  name: chain.name,
  serverNames: hostsOf(chain, tableOf),
});

/** None: all that no other chain is for. */
function hostsOf(chain: ir.Chain, tableOf: FindTable): readonly string[] {
  if (chain.kind === 'closed') return chain.serverNames;
  if (chain.kind === 'http') return chain.tls?.serverNames ?? [];
  const hosts = [...(tableOf(chain.table)?.hosts.keys() ?? [])];
  return hosts.includes('*') ? [] : hosts.sort();
}

/** `probe`: the name of one that stands apart from what is served. */
function tcpListener(listener: ir.Listener, tableOf: FindTable, probe?: string): EnvoyResource {
  const name = probe ?? listenerName(listener.key);
  const message = create(ListenerSchema, {
    name,
    statPrefix: name.replaceAll('/', '_'),
    address: boundAddress(probe === undefined ? listener.bind : nowhere, 'TCP'),
    ...(probe !== undefined && { bindToPort: false }),
    perConnectionBufferLimitBytes: listener.bufferBytes ?? bufferLimitBytes,
    ...(listener.acceptsPerEvent !== undefined && {
      maxConnectionsToAcceptPerSocketEvent: listener.acceptsPerEvent,
    }),
    // Two proxies on one host must not share a port silently: the second one shall fail and say so.
    enableReusePort: false,
    ...(listener.keepalive && { tcpKeepalive: tcpKeepalive(listener.keepalive) }),
    listenerFilters: listenerFilters(listener),
    listenerFiltersTimeout: durationOf(helloTimeoutMs(listener)),
    filterChains: listener.chains.flatMap((chain) => {
      if (chain.kind === 'stream') return [];
      return chain.kind === 'http' ? filterChains(listener, chain) : closedChain(chain);
    }),
  });
  if (listener.patch?.listener) mergePatch('listener', message, listener.patch.listener);
  const writer = new BinaryWriter().raw(toBinary(ListenerSchema, message));
  const streams = listener.chains.flatMap((chain) =>
    chain.kind === 'stream' ? encodeStreamChains(listener.key, chain, tableOf(chain.table)) : [],
  );
  for (const bytes of streams) writer.tag(listenerFilterChains, WireType.LengthDelimited).bytes(bytes);
  const resource = encodedResource(typeUrls.listener, name, writer.finish());
  const plain = withoutGeo(listener);
  return plain ? { ...resource, withoutGeo: tcpListener(plain, tableOf, probe) } : resource;
}

/** What comes before a chain is known, such as the name in a handshake, may take as long as the most patient of them allows. */
const helloTimeoutMs = ({ chains }: ir.Listener): number =>
  Math.max(...chains.map(({ tls }) => handshakeTimeoutMs(tls)));

/** A probe binds nothing, and must not have the address of another listener. */
const nowhere: ir.BindAddress = { address: '127.0.0.1', port: 1 };

const offered = ['h2', 'http/1.1'];

const filterChains = ({ key, patch }: ir.Listener, chain: ir.HttpChain): MessageInitShape<typeof FilterChainSchema>[] =>
  peersOf(chain).map(({ name, peer, networks }) => ({
    name,
    ...((chain.tls || networks) && {
      filterChainMatch: {
        ...(chain.tls && { serverNames: [...chain.tls.serverNames] }),
        ...(networks && { sourcePrefixRanges: prefixRanges(networks) }),
      },
    }),
    ...(chain.tls && {
      transportSocket: downstreamTls(
        chain.tls,
        chain.tls.parameters?.alpnProtocols ?? offered,
        clientAuthoritiesName(key, chain.name),
      ),
      ...handshakeTimeout(chain.tls),
    }),
    filters: [
      ...connectionLimit(chain, chain.table),
      {
        name: 'envoy.filters.network.http_connection_manager',
        configType: { case: 'typedConfig', value: connectionManager(chain, 'tcp', peer, patch) },
      },
    ],
  }));
