import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  ConsistentHashingSchema,
  ListenerSchema,
  type Matcher_MatcherList_FieldMatcherSchema,
  type Matcher_OnMatchSchema,
  type MatcherSchema,
  packAny,
  SourcePortInputSchema,
  typeUrls,
  UdpProxyConfigSchema,
  UdpRouteSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { boundAddress } from '../downstream/index.ts';
import { clusterName, type EnvoyResource, invalidCluster, listenerName, resourceOf } from '../resource/index.ts';

/** LDS: one open UDP port. It has one chain, whose table has the host `*` alone. */
export function translateUdpListener(
  { key, bind, chains }: ir.Listener,
  tableOf: (id: string) => ir.StreamTable | undefined,
): EnvoyResource {
  const name = listenerName(key);
  const table = chains[0]?.table ?? key;
  const proxy = create(UdpProxyConfigSchema, {
    statPrefix: table.replaceAll('/', '_'),
    routeSpecifier: { case: 'matcher', value: matcher(tableOf(table)?.hosts.get('*')?.shares ?? []) },
  });
  const message = create(ListenerSchema, {
    name,
    statPrefix: name.replaceAll('/', '_'),
    address: boundAddress(bind, 'UDP'),
    // Without it Envoy takes no UDP listener on more than one worker.
    enableReusePort: true,
    udpListenerConfig: { downstreamSocketConfig: {} },
    listenerFilters: [
      {
        name: 'envoy.filters.udp_listener.udp_proxy',
        configType: { case: 'typedConfig', value: packAny(UdpProxyConfigSchema, proxy) },
      },
    ],
  });
  return resourceOf(typeUrls.listener, name, ListenerSchema, message);
}

/**
 * Envoy has no weighted clusters for UDP: sessions are shared out by a hash of the client's port. A datagram that matches
 * nothing is dropped, which is the lot of shares without a backend.
 */
function matcher(shares: readonly ir.StreamShare[]): MessageInitShape<typeof MatcherSchema> {
  const live = shares.flatMap(({ backend, weight }) => (backend === undefined ? [] : [{ backend, weight }]));
  const last = live.length === shares.length ? live.pop() : undefined;
  const rest =
    last || shares.length === 0 ? { onNoMatch: routeTo(last ? clusterName(last.backend) : invalidCluster) } : {};
  if (live.length === 0) return rest;
  const modulo = shares.reduce((sum, { weight }) => sum + weight, 0);
  let threshold = modulo;
  const matchers = live.map(({ backend, weight }) => {
    threshold -= weight;
    return fieldMatcher(threshold, modulo, clusterName(backend));
  });
  return { matcherType: { case: 'matcherList', value: { matchers } }, ...rest };
}

/** Holds for hashes whose remainder is the threshold or above; those above a former matcher's are gone by then. */
const fieldMatcher = (
  threshold: number,
  modulo: number,
  cluster: string,
): MessageInitShape<typeof Matcher_MatcherList_FieldMatcherSchema> => ({
  predicate: {
    matchType: {
      case: 'singlePredicate',
      value: {
        input: {
          name: 'source-port',
          typedConfig: packAny(SourcePortInputSchema, create(SourcePortInputSchema)),
        },
        matcher: {
          case: 'customMatch',
          value: {
            name: 'share',
            typedConfig: packAny(ConsistentHashingSchema, create(ConsistentHashingSchema, { threshold, modulo })),
          },
        },
      },
    },
  },
  onMatch: routeTo(cluster),
});

const routeTo = (cluster: string): MessageInitShape<typeof Matcher_OnMatchSchema> => ({
  onMatch: {
    case: 'action',
    value: { name: 'route', typedConfig: packAny(UdpRouteSchema, create(UdpRouteSchema, { cluster })) },
  },
});
