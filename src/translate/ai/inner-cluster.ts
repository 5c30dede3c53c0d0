import { create } from '@bufbuild/protobuf';
import {
  Cluster_DiscoveryType,
  ClusterSchema,
  InternalUpstreamTransportSchema,
  packAny,
  RawBufferSchema,
  typeUrls,
} from '../../envoy/index.ts';
import { durationOf, type EnvoyResource, resourceOf } from '../resource/index.ts';

const unlimited = 4_294_967_295;

/** CDS: leads to listeners within the proxy, to the first of them unless a retry asks for the next. */
export function innerCluster(name: string, listeners: readonly string[]): EnvoyResource {
  const transport = create(InternalUpstreamTransportSchema, {
    transportSocket: {
      name: 'envoy.transport_sockets.raw_buffer',
      configType: { case: 'typedConfig' as const, value: packAny(RawBufferSchema, create(RawBufferSchema)) },
    },
  });
  const limits = {
    maxConnections: unlimited,
    maxPendingRequests: unlimited,
    maxRequests: unlimited,
    maxRetries: unlimited,
  };
  const cluster = create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: 'type', value: Cluster_DiscoveryType.STATIC },
    connectTimeout: durationOf(1000),
    circuitBreakers: { thresholds: [limits] },
    loadAssignment: {
      clusterName: name,
      endpoints: listeners.map((listener, priority) => ({
        priority,
        lbEndpoints: [
          {
            hostIdentifier: {
              case: 'endpoint' as const,
              value: {
                address: {
                  address: {
                    case: 'envoyInternalAddress' as const,
                    value: {
                      addressNameSpecifier: { case: 'serverListenerName' as const, value: listener },
                      endpointId: listener,
                    },
                  },
                },
              },
            },
          },
        ],
      })),
    },
    transportSocket: {
      name: 'envoy.transport_sockets.internal_upstream',
      configType: { case: 'typedConfig' as const, value: packAny(InternalUpstreamTransportSchema, transport) },
    },
  });
  return resourceOf(typeUrls.cluster, name, ClusterSchema, cluster);
}
