import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { DirectResponseActionSchema, RouteActionSchema, RouteSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { invalidCluster } from '../resource/index.ts';

type Action = MessageInitShape<typeof RouteSchema>['action'];
type Filters = Readonly<Record<string, Any>>;

/**
 * For whatever no other route took, answered by Envoy itself unless its filters lead elsewhere. CONNECT has no path: without a route of its own it
 * would go on to other hosts, where a tunnel may be another one's. Envoy answers it 403 where its first look finds this.
 */
export const encodeLastRoutes = (name: string, status: number, filters: Filters = {}): readonly Uint8Array[] =>
  lastRoutes(name, filters, answer(status), answer(status));

/** The same for a scope that only says where to go on to `routes`: what these let clients change to, Envoy's first look must let pass. */
export function encodeEntry(name: string, routes: readonly ir.Route[]): readonly Uint8Array[] {
  const protocols = new Set(routes.flatMap(({ rule }) => rule.upgrades?.protocols ?? []));
  const action = protocols.size === 0 ? answer(404) : goesOn([...protocols].sort());
  return lastRoutes(name, {}, action, goesOn(['CONNECT']));
}

function lastRoutes(name: string, typedPerFilterConfig: Filters, action: Action, ofTunnels: Action) {
  const encode = (more: Pick<MessageInitShape<typeof RouteSchema>, 'match' | 'action'>) =>
    toBinary(RouteSchema, create(RouteSchema, { name, typedPerFilterConfig, ...more }));
  return [
    encode({ match: { pathSpecifier: { case: 'prefix', value: '/' } }, action }),
    encode({ match: { pathSpecifier: { case: 'connectMatcher', value: {} } }, action: ofTunnels }),
  ];
}

const answer = (status: number): Action => ({
  case: 'directResponse',
  value: create(DirectResponseActionSchema, { status }),
});

/** No request stays with it. */
const goesOn = (upgradeTypes: readonly string[]): Action => ({
  case: 'route',
  value: create(RouteActionSchema, {
    clusterSpecifier: { case: 'cluster', value: invalidCluster },
    upgradeConfigs: upgradeTypes.map((upgradeType) => ({ upgradeType })),
  }),
});
