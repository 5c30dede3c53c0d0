import { create } from '@bufbuild/protobuf';
import {
  Cluster_DiscoveryType,
  ClusterHttpProtocolOptionsSchema,
  ClusterSchema,
  InternalUpstreamTransportSchema,
  packAny,
  RawBufferSchema,
  typeUrls,
} from '../../envoy/index.ts';
import { durationOf, type EnvoyResource, resourceOf } from '../resource/index.ts';

const protocolOptionsKey = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

const http2Options = packAny(
  ClusterHttpProtocolOptionsSchema,
  create(ClusterHttpProtocolOptionsSchema, {
    upstreamProtocolOptions: {
      case: 'explicitHttpConfig',
      value: { protocolConfig: { case: 'http2ProtocolOptions', value: {} } },
    },
  }),
);

const unlimited = 4_294_967_295;

interface InnerCluster {
  /** HTTP/2 is spoken: over HTTP/1.1 the trailers of gRPC would be lost. */
  readonly http2?: boolean;
}

/** CDS: leads to listeners within the proxy, to the first of them unless a retry asks for the next. */
export function innerCluster(
  name: string,
  listeners: readonly string[],
  { http2 = false }: InnerCluster = {},
): EnvoyResource {
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
    ...(http2 && { typedExtensionProtocolOptions: { [protocolOptionsKey]: http2Options } }),
  });
  return resourceOf(typeUrls.cluster, name, ClusterSchema, cluster);
}
