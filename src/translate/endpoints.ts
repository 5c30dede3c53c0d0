import { create } from '@bufbuild/protobuf';
import { ClusterLoadAssignmentSchema, HealthStatus, typeUrls } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import type { EnvoyResource } from './envoy-resource.ts';
import { clusterName } from './names.ts';
import { resourceOf } from './resource.ts';

/** EDS: one locality for each zone, so that zone preferences can be set without moving endpoints. */
export function translateEndpoints({ backend, endpoints }: ir.Endpoints): EnvoyResource {
  const name = clusterName(backend);
  const zones = [...Map.groupBy(endpoints, ({ zone = '' }) => zone)].sort(([a], [b]) => (a < b ? -1 : 1));
  const assignment = create(ClusterLoadAssignmentSchema, {
    clusterName: name,
    endpoints: zones.map(([zone, members]) => ({
      ...(zone && { locality: { zone } }),
      // A locality without a weight is dropped as soon as locality weights are in use.
      loadBalancingWeight: members.length,
      lbEndpoints: members.map(drainable),
    })),
  });
  return resourceOf(typeUrls.endpoint, name, ClusterLoadAssignmentSchema, assignment);
}

const drainable = ({ address, port, health }: ir.Endpoint) => ({
  ...lbEndpoint(address, port),
  ...(health === 'draining' && { healthStatus: HealthStatus.DRAINING }),
});

/** One address, or a name for clusters that resolve it. */
export const lbEndpoint = (address: string, port: number) => ({
  hostIdentifier: {
    case: 'endpoint' as const,
    value: {
      address: {
        address: {
          case: 'socketAddress' as const,
          value: { address, portSpecifier: { case: 'portValue' as const, value: port } },
        },
      },
    },
  },
});
