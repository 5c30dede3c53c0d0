import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import {
  ConsistentHashingSchema,
  ListenerSchema,
  TcpProxySchema,
  TypedExtensionConfigSchema,
  typeUrls,
  UdpProxyConfigSchema,
  UdpRouteSchema,
} from '../../../../src/envoy/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { bytesOfText } from '../../../../src/std/memory/index.ts';
import { type EnvoyResource, Translator } from '../../../../src/translate/index.ts';
import { encodeStreamChains } from '../../../../src/translate/l4/stream-chain.ts';
import { backendKey, gatewayKey, snapshotOf, streamTable, translateAll } from '../../../support/ir.ts';

const bind = { address: '127.0.0.1', port: 0 };
const tls = { serverNames: [], certificates: ['default/cert'] };
const tlsTable = 'tls/443/tls';
const tlsListener = (given: Partial<ir.StreamChain> = {}): ir.Listener => ({
  key: 'tls/443',
  transport: 'tcp',
  bind,
  chains: [{ kind: 'stream', name: 'tls', table: tlsTable, sni: true, ...given }],
});

const share = (name: string | undefined, weight = 1): ir.StreamShare => ({
  ...(name !== undefined && { backend: backendKey(name) }),
  weight,
});
const host = (name: string, ...shares: readonly ir.StreamShare[]): ir.StreamHost => ({ host: name, shares });

const only = (resources: readonly EnvoyResource[], typeUrl: string): EnvoyResource => {
  const [found, ...others] = resources.filter((resource) => resource.typeUrl === typeUrl);
  if (!found || others.length > 0) throw new Error(`${others.length + Number(!!found)} resources of ${typeUrl}`);
  return found;
};

const listenerOf = (resources: readonly EnvoyResource[]) =>
  fromBinary(ListenerSchema, bytesOfText(only(resources, typeUrls.listener).body));

function tcpProxyOf(shares: readonly ir.StreamShare[]) {
  const streams = [streamTable(tlsTable, host('*', ...shares))];
  const resource = only(translateAll(snapshotOf({ listeners: [tlsListener()], streams })), typeUrls.extension);
  const { typedConfig } = fromBinary(TypedExtensionConfigSchema, bytesOfText(resource.body));
  const { clusterSpecifier } = (typedConfig && anyUnpack(typedConfig, TcpProxySchema)) ?? {};
  return clusterSpecifier?.case === 'weightedClusters'
    ? clusterSpecifier.value.clusters.map(({ name, weight }) => [name, weight])
    : clusterSpecifier?.value;
}

test('connections go to one cluster, or to several by weight; to one that never exists where there is no backend', (t) => {
  t.is(tcpProxyOf([share('web', 7)]), 'default/web/80');
  t.is(tcpProxyOf([]), 'gatewright/invalid');
  t.deepEqual(tcpProxyOf([share('web', 7), share(undefined, 3)]), [
    ['default/web/80', 7],
    ['gatewright/invalid', 3],
  ]);
});

test('each host of a TLS listener is a chain by its SNI; the host * takes what no other does', (t) => {
  const streams = [streamTable(tlsTable, host('*'), host('b.test', share('web')), host('*.a.test'))];
  const { filterChains, listenerFilters } = listenerOf(
    translateAll(snapshotOf({ listeners: [tlsListener()], streams })),
  );
  t.deepEqual(
    filterChains.map(({ name, filterChainMatch, transportSocket }) => [
      name,
      filterChainMatch?.serverNames,
      transportSocket?.name,
    ]),
    [
      ['tls|*', [], undefined],
      ['tls|*.a.test', ['*.a.test'], undefined],
      ['tls|b.test', ['b.test'], undefined],
    ],
  );
  t.deepEqual(
    listenerFilters.map(({ name }) => name),
    ['envoy.filters.listener.tls_inspector'],
  );
});

test('TLS ends at every chain of a terminating listener', (t) => {
  const streams = [streamTable(tlsTable, host('*'), host('b.test'))];
  const { filterChains } = listenerOf(translateAll(snapshotOf({ listeners: [tlsListener({ tls })], streams })));
  t.deepEqual(
    filterChains.map(({ transportSocket }) => transportSocket?.name),
    ['envoy.transport_sockets.tls', 'envoy.transport_sockets.tls'],
  );
});

test('a host that changes leaves its listener alone; one that comes or goes does not', (t) => {
  const before = host('b.test', share('web'));
  const after = host('b.test', share('other'));
  const streams = [streamTable(tlsTable, host('*'), after)];
  const snapshot = snapshotOf({ listeners: [tlsListener()], streams });
  const change = { kind: 'stream', gateway: gatewayKey, table: tlsTable, host: 'b.test' } as const;
  const typesOf = (given: Partial<ir.Change>) =>
    new Translator()
      .translate(snapshot, [{ ...change, ...given } as ir.Change])
      .map(({ upserts, removals }) => [...upserts, ...removals].map(({ typeUrl }) => typeUrl).sort());
  t.deepEqual(typesOf({ before, after }), [[typeUrls.extension]]);
  t.deepEqual(typesOf({ after }), [[typeUrls.listener, typeUrls.extension].sort()]);
  t.deepEqual(typesOf({ before }), [[typeUrls.listener, typeUrls.extension].sort()]);
});

test('a chain is kept while its host is there, and no longer', (t) => {
  const chain: ir.StreamChain = { kind: 'stream', name: 'tls', table: tlsTable, sni: true };
  const both = streamTable(tlsTable, host('a.test'), host('b.test'));
  const encode = (table: ir.StreamTable) => encodeStreamChains('tls/443', chain, table);
  const [a, b] = encode(both);
  const [alone, ...others] = encode(streamTable(tlsTable, host('a.test')));
  t.is(alone, a);
  t.is(others.length, 0);
  const [sameA, newB] = encode(both);
  t.is(sameA, a);
  t.deepEqual(newB, b);
  t.not(newB, b);
});

/** Clusters with the threshold from which on they are chosen, and what is left: where the rest goes, if anywhere. */
function udpMatcher(shares: readonly ir.StreamShare[]) {
  const table = 'udp/53/dns';
  const listener: ir.Listener = {
    key: 'udp/53',
    transport: 'udp',
    bind,
    chains: [{ kind: 'stream', name: 'dns', table, sni: false }],
  };
  const resources = translateAll(
    snapshotOf({ listeners: [listener], streams: [streamTable(table, host('*', ...shares))] }),
  );
  if (resources.some(({ typeUrl }) => typeUrl === typeUrls.extension)) throw new Error('UDP has no filter chains');
  const config = listenerOf(resources).listenerFilters[0]?.configType;
  const proxy = config?.case === 'typedConfig' ? anyUnpack(config.value, UdpProxyConfigSchema) : undefined;
  const matcher = proxy?.routeSpecifier.case === 'matcher' ? proxy.routeSpecifier.value : undefined;
  const clusterOf = (onMatch: NonNullable<typeof matcher>['onNoMatch']) => {
    const action = onMatch?.onMatch.case === 'action' ? onMatch.onMatch.value.typedConfig : undefined;
    return action && anyUnpack(action, UdpRouteSchema)?.cluster;
  };
  const list = matcher?.matcherType.case === 'matcherList' ? matcher.matcherType.value.matchers : [];
  return {
    from: list.map(({ predicate, onMatch }) => {
      const single = predicate?.matchType.case === 'singlePredicate' ? predicate.matchType.value.matcher : undefined;
      const hashing = single?.case === 'customMatch' ? single.value.typedConfig : undefined;
      const { threshold, modulo } = (hashing && anyUnpack(hashing, ConsistentHashingSchema)) ?? {};
      return [clusterOf(onMatch), threshold, modulo];
    }),
    rest: clusterOf(matcher?.onNoMatch),
  };
}

test('UDP sessions are shared out by remainders of a hash; what has no backend matches nothing', (t) => {
  t.deepEqual(udpMatcher([share('a', 7), share('b', 2), share('c', 1)]), {
    from: [
      ['default/a/80', 3, 10],
      ['default/b/80', 1, 10],
    ],
    rest: 'default/c/80',
  });
  t.deepEqual(udpMatcher([share('a', 7), share(undefined, 3)]), { from: [['default/a/80', 3, 10]], rest: undefined });
  t.deepEqual(udpMatcher([share('a', 7)]), { from: [], rest: 'default/a/80' });
  t.deepEqual(udpMatcher([]), { from: [], rest: 'gatewright/invalid' });
});
