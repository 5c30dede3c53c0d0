import { create } from '@bufbuild/protobuf';
import {
  Cluster_LbPolicy,
  ClusterHttpProtocolOptionsSchema,
  ClusterSchema,
  Cluster_DnsLookupFamily as DnsLookupFamily,
  DynamicForwardProxyClusterConfigSchema,
  packAny,
  typeUrls,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { upstreamTls } from '../clusters/index.ts';
import { durationOf, type EnvoyResource, namedClusterName, resourceOf } from '../resource/index.ts';

const connectTimeoutMs = 5000;
const unlimited = 4_294_967_295;
/** So many hosts at a time. A request for another one is answered 503. */
const maxHosts = 1024;
/** A host that no request names any more makes room for others. */
const hostTtlMs = 60_000;

/** CDS: servers by the names that the listener before it has set. */
export function namedCluster(backend: ir.Backend): EnvoyResource {
  const { key, tls } = backend;
  const name = namedClusterName(key);
  const config = create(DynamicForwardProxyClusterConfigSchema, {
    clusterImplementationSpecifier: {
      case: 'dnsCacheConfig',
      value: { name, dnsLookupFamily: DnsLookupFamily.V4_PREFERRED, maxHosts, hostTtl: durationOf(hostTtlMs) },
    },
  });
  const options = create(ClusterHttpProtocolOptionsSchema, {
    // A certificate must be one for the host of the request. Envoy wants this said where there is no TLS, too.
    upstreamHttpProtocolOptions: { autoSni: true, autoSanValidation: true },
    upstreamProtocolOptions: {
      case: 'explicitHttpConfig',
      value: { protocolConfig: { case: 'httpProtocolOptions', value: {} } },
    },
  });
  const cluster = create(ClusterSchema, {
    name,
    connectTimeout: durationOf(connectTimeoutMs),
    lbPolicy: Cluster_LbPolicy.CLUSTER_PROVIDED,
    clusterDiscoveryType: {
      case: 'clusterType',
      value: {
        name: 'envoy.clusters.dynamic_forward_proxy',
        typedConfig: packAny(DynamicForwardProxyClusterConfigSchema, config),
      },
    },
    circuitBreakers: {
      thresholds: [
        { maxConnections: unlimited, maxPendingRequests: unlimited, maxRequests: unlimited, maxRetries: unlimited },
      ],
    },
    ...(tls && { transportSocket: upstreamTls(backend, tls) }),
    typedExtensionProtocolOptions: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': packAny(ClusterHttpProtocolOptionsSchema, options),
    },
  });
  return resourceOf(typeUrls.cluster, name, ClusterSchema, cluster);
}
