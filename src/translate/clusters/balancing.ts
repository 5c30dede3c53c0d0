import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  HealthStatus,
  LeastRequestSchema,
  type LocalityLbConfigSchema,
  MaglevSchema,
  OverrideHostSchema,
  packAny,
  RandomSchema,
  RoundRobinSchema,
  type SlowStartConfigSchema,
  type TypedExtensionConfigSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { durationOf, hashPolicy } from '../resource/index.ts';

/** Clients with a session stay with an endpoint that is leaving, as long as it serves. */
const overrideHostStatus = {
  statuses: [HealthStatus.UNKNOWN, HealthStatus.HEALTHY, HealthStatus.DEGRADED, HealthStatus.DRAINING],
};

/**
 * How endpoints are chosen. A proxy that knows its zone would by default prefer endpoints of it in some proportion of its
 * own making; here it does so where the Service asks for it, and then wholly: endpoints of other zones are used while
 * none of its own is well, and by proxies without a zone.
 */
export function balancing({ prefersZone, tuning: { loadBalancer, panicPercent } = {} }: ir.Backend) {
  const common = {
    overrideHostStatus,
    ...(panicPercent !== undefined && { healthyPanicThreshold: { value: panicPercent } }),
  };
  if (!prefersZone && !loadBalancer) {
    const zoneAwareLbConfig = { routingEnabled: { value: 0 } };
    return {
      commonLbConfig: {
        ...common,
        localityConfigSpecifier: { case: 'zoneAwareLbConfig' as const, value: zoneAwareLbConfig },
      },
    };
  }
  const typedExtensionConfig = policyOf(loadBalancer ?? { kind: 'roundRobin' }, zones(prefersZone));
  return { commonLbConfig: common, loadBalancingPolicy: { policies: [{ typedExtensionConfig }] } };
}

type Localities = MessageInitShape<typeof LocalityLbConfigSchema>;

const zones = (prefersZone: true | undefined): Localities => ({
  localityConfigSpecifier: {
    case: 'zoneAwareLbConfig',
    value: prefersZone ? { minClusterSize: 1n, forceLocalZone: { minSize: 1 } } : { routingEnabled: { value: 0 } },
  },
});

const named = (name: string) => `envoy.load_balancing_policies.${name}`;

/** A hash goes over all endpoints: with zones of its own, each proxy would send a client elsewhere. */
function policyOf(
  balancer: ir.LoadBalancer,
  localityLbConfig: Localities,
): MessageInitShape<typeof TypedExtensionConfigSchema> {
  switch (balancer.kind) {
    case 'roundRobin': {
      const policy = create(RoundRobinSchema, { localityLbConfig, ...slowly(balancer.slowStart) });
      return { name: named('round_robin'), typedConfig: packAny(RoundRobinSchema, policy) };
    }
    case 'leastRequest': {
      const policy = create(LeastRequestSchema, { localityLbConfig, ...slowly(balancer.slowStart) });
      return { name: named('least_request'), typedConfig: packAny(LeastRequestSchema, policy) };
    }
    case 'picked':
      return { name: named('override_host'), typedConfig: packAny(OverrideHostSchema, asPicked(localityLbConfig)) };
    case 'random':
      return { name: named('random'), typedConfig: packAny(RandomSchema, create(RandomSchema, { localityLbConfig })) };
    case 'hash': {
      // At the backend rather than at routes: a policy that changes costs one cluster, and no route.
      const consistentHashingLbConfig = { hashPolicy: balancer.key ? [hashPolicy(balancer.key)] : [] };
      const policy = create(MaglevSchema, { tableSize: BigInt(balancer.tableSize), consistentHashingLbConfig });
      return { name: named('maglev'), typedConfig: packAny(MaglevSchema, policy) };
    }
  }
}

/** Where pickers write which endpoints they choose. Source: Endpoint Picker Protocol of the Inference Extension. */
const picked = { header: 'x-gateway-destination-endpoint', metadataNamespace: 'envoy.lb' };

/** Only members of the cluster are ever used, so no answer in a picker's name can lead requests elsewhere. The picker hears which one was. */
const asPicked = (localityLbConfig: Localities) =>
  create(OverrideHostSchema, {
    overrideHostSources: [{ metadata: metadataKey(picked.header) }, { header: picked.header }],
    selectedHostKey: metadataKey(`${picked.header}-served`),
    fallbackPolicy: {
      policies: [{ typedExtensionConfig: policyOf({ kind: 'leastRequest' }, localityLbConfig) }],
    },
  });

const metadataKey = (key: string) => ({
  key: picked.metadataNamespace,
  path: [{ segment: { case: 'key' as const, value: key } }],
});

const slowly = (slowStart: ir.SlowStart | undefined) =>
  slowStart && {
    slowStartConfig: {
      slowStartWindow: durationOf(slowStart.windowMs),
      minWeightPercent: { value: slowStart.minWeightPercent },
    } satisfies MessageInitShape<typeof SlowStartConfigSchema>,
  };
