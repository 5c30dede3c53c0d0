import { create } from '@bufbuild/protobuf';
import {
  Cluster_DiscoveryType,
  ClusterHttpProtocolOptionsSchema,
  ClusterSchema,
  packAny,
  typeUrls,
} from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import { adsSource } from './ads-source.ts';
import type { EnvoyResource } from './envoy-resource.ts';
import { clusterName } from './names.ts';
import { durationOf } from './proto-duration.ts';
import { resourceOf } from './resource.ts';
import { upstreamTls } from './upstream-tls.ts';

const protocolOptionsKey = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const connectTimeoutMs = 5000;
/** Envoy's defaults (1024 requests, 3 retries) would be limits that nobody asked for. */
const unlimited = 4_294_967_295;

/** CDS: endpoints by EDS on the same stream. */
export function translateCluster({ key, protocol, tls }: ir.Backend): EnvoyResource {
  const name = clusterName(key);
  const cluster = create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: 'type', value: Cluster_DiscoveryType.EDS },
    edsClusterConfig: { edsConfig: adsSource() },
    connectTimeout: durationOf(connectTimeoutMs),
    circuitBreakers: {
      thresholds: [
        {
          maxConnections: unlimited,
          maxPendingRequests: unlimited,
          maxRequests: unlimited,
          maxRetries: unlimited,
        },
      ],
    },
    // An endpoint that a rollout took away must not get another request, whatever health checks said of it.
    ignoreHealthOnHostRemoval: true,
    ...(tls && { transportSocket: upstreamTls(key, protocol, tls) }),
    ...(speaksHttp(protocol) && { typedExtensionProtocolOptions: { [protocolOptionsKey]: protocolOptions(protocol) } }),
  });
  return resourceOf(typeUrls.cluster, name, ClusterSchema, cluster);
}

const speaksHttp = (protocol: ir.BackendProtocol): boolean => protocol === 'http1' || protocol === 'h2c';

function protocolOptions(protocol: ir.BackendProtocol) {
  const config =
    protocol === 'h2c'
      ? { case: 'http2ProtocolOptions' as const, value: {} }
      : { case: 'httpProtocolOptions' as const, value: {} };
  const options = create(ClusterHttpProtocolOptionsSchema, {
    upstreamProtocolOptions: { case: 'explicitHttpConfig', value: { protocolConfig: config } },
  });
  return packAny(ClusterHttpProtocolOptionsSchema, options);
}
