import { create } from '@bufbuild/protobuf';
import { HealthStatus, packAny, RoundRobinSchema } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';

/** Clients with a session stay with an endpoint that is leaving, as long as it serves. */
const overrideHostStatus = {
  statuses: [HealthStatus.UNKNOWN, HealthStatus.HEALTHY, HealthStatus.DEGRADED, HealthStatus.DRAINING],
};

/**
 * How endpoints are chosen. A proxy that knows its zone would by default prefer endpoints of it in some proportion of its
 * own making; here it does so where the Service asks for it, and then wholly: endpoints of other zones are used while
 * none of its own is well, and by proxies without a zone.
 */
export function balancing({ prefersZone }: ir.Backend) {
  if (!prefersZone) {
    const zoneAwareLbConfig = { routingEnabled: { value: 0 } };
    return {
      commonLbConfig: {
        overrideHostStatus,
        localityConfigSpecifier: { case: 'zoneAwareLbConfig' as const, value: zoneAwareLbConfig },
      },
    };
  }
  const policy = create(RoundRobinSchema, {
    localityLbConfig: {
      localityConfigSpecifier: {
        case: 'zoneAwareLbConfig',
        value: { minClusterSize: 1n, forceLocalZone: { minSize: 1 } },
      },
    },
  });
  return {
    commonLbConfig: { overrideHostStatus },
    loadBalancingPolicy: {
      policies: [
        {
          typedExtensionConfig: {
            name: 'envoy.load_balancing_policies.round_robin',
            typedConfig: packAny(RoundRobinSchema, policy),
          },
        },
      ],
    },
  };
}
