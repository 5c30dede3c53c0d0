import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { longestFirstCheckMs } from '../../contracts/index.ts';
import {
  type CircuitBreakers_Thresholds_RetryBudgetSchema,
  CircuitBreakers_ThresholdsSchema,
  Cluster_DiscoveryType,
  ClusterSchema,
  DnsClusterSchema,
  DnsLookupFamily,
  packAny,
  typeUrls,
} from '../../envoy/index.ts';
import { mergePatch } from '../../envoy-patch/index.ts';
import type * as ir from '../../ir/index.ts';
import {
  adsSource,
  clusterName,
  durationOf,
  type EnvoyResource,
  resourceOf,
  socketBuffers,
  tcpKeepalive,
} from '../resource/index.ts';
import { balancing } from './balancing.ts';
import { activeCheck, outlierDetection } from './health-checks.ts';
import { httpOptions } from './http-options.ts';
import { namedEndpoint } from './named-endpoint.ts';
import { patchedProvenance } from './patched-provenance.ts';
import { upstreamSocket } from './upstream-socket.ts';

const protocolOptionsKey = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const connectTimeoutMs = 5000;
/** Envoy's defaults (1024 requests, 3 retries) would be limits that no user set. */
const unlimited = 4_294_967_295;

/** CDS: endpoints by EDS on the same stream, or by DNS. */
export function translateCluster(backend: ir.Backend): EnvoyResource {
  const { key, protocol, tls, service, namespace, tuning = {}, patch } = backend;
  const { activeCheck: check, passiveCheck, timeouts = {}, keepalive, connection } = tuning;
  const transportSocket = upstreamSocket(backend);
  const name = clusterName(key);
  const cluster = create(ClusterSchema, {
    name,
    ...discovery(name, backend),
    ...balancing(backend),
    connectTimeout: durationOf(timeouts.connectMs ?? connectTimeoutMs),
    circuitBreakers: { thresholds: [limits(backend)], ...endpointLimits(tuning) },
    ...(connection && connectionFields(connection)),
    // An endpoint that a rollout took away must not get another request, whatever health checks said of it.
    ignoreHealthOnHostRemoval: true,
    ...(check && { healthChecks: [activeCheck(check, tls?.serverName ?? `${service}.${namespace}`, protocol)] }),
    ...(passiveCheck && { outlierDetection: outlierDetection(passiveCheck) }),
    ...(keepalive && { upstreamConnectionOptions: { tcpKeepalive: tcpKeepalive(keepalive) } }),
    ...(transportSocket && { transportSocket }),
    ...(speaksHttp(protocol) && {
      typedExtensionProtocolOptions: { [protocolOptionsKey]: httpOptions(backend) },
    }),
  });
  if (patch?.cluster) mergePatch('cluster', cluster, patch.cluster);
  const resource = resourceOf(typeUrls.cluster, name, ClusterSchema, cluster);
  return patch
    ? { ...resource, provenance: patchedProvenance(backend, patch, { resource, translate: translateCluster }) }
    : resource;
}

const connectionFields = ({
  bufferBytes,
  socketBufferBytes,
  preconnectPercent,
  preconnectNextPercent,
}: ir.ConnectionSettings) => ({
  ...(bufferBytes !== undefined && { perConnectionBufferLimitBytes: bufferBytes }),
  ...(socketBufferBytes !== undefined && { upstreamBindConfig: { socketOptions: socketBuffers(socketBufferBytes) } }),
  ...((preconnectPercent !== undefined || preconnectNextPercent !== undefined) && {
    preconnectPolicy: {
      ...(preconnectPercent !== undefined && { perUpstreamPreconnectRatio: preconnectPercent / 100 }),
      ...(preconnectNextPercent !== undefined && { predictivePreconnectRatio: preconnectNextPercent / 100 }),
    },
  }),
});

const families = {
  IPv4: DnsLookupFamily.V4_ONLY,
  IPv6: DnsLookupFamily.V6_ONLY,
  IPv6Preferred: DnsLookupFamily.AUTO,
  All: DnsLookupFamily.ALL,
} as const;

function discovery(name: string, { hostname, port, allowedAddresses = [], tuning }: ir.Backend) {
  if (hostname === undefined) {
    return {
      clusterDiscoveryType: { case: 'type' as const, value: Cluster_DiscoveryType.EDS },
      edsClusterConfig: { edsConfig: adsSource() },
    };
  }
  // By Envoy's own default one of IPv6 is taken, though there may be no way to it.
  const { refreshMs, ignoresTtl, family } = tuning?.names ?? {};
  const { port: checkPort, initialJitterMs = 0, timeoutMs = 0 } = tuning?.activeCheck ?? {};
  const dns = create(DnsClusterSchema, {
    dnsLookupFamily: family ? families[family] : DnsLookupFamily.V4_PREFERRED,
    respectDnsTtl: !ignoresTtl,
    ...(refreshMs !== undefined && { dnsRefreshRate: durationOf(refreshMs) }),
  });
  return {
    clusterDiscoveryType: {
      case: 'clusterType' as const,
      value: { name: 'envoy.cluster.dns', typedConfig: packAny(DnsClusterSchema, dns) },
    },
    // Envoy would take no other change before the first check. So it takes the cluster before the name is resolved.
    ...(initialJitterMs + timeoutMs > longestFirstCheckMs && { waitForWarmOnInit: false }),
    loadAssignment: {
      clusterName: name,
      endpoints: [{ lbEndpoints: [namedEndpoint(hostname, port, { allowed: allowedAddresses, checkPort })] }],
    },
  };
}

type RetryBudget = MessageInitShape<typeof CircuitBreakers_Thresholds_RetryBudgetSchema>;

const limits = ({ protocol, retryBudget, tuning: { limits: desired = {} } = {} }: ir.Backend) =>
  create(CircuitBreakers_ThresholdsSchema, {
    maxConnections: desired.connections ?? unlimited,
    maxPendingRequests: desired.pendingRequests ?? unlimited,
    maxRequests: desired.requests ?? unlimited,
    maxRetries: desired.retries ?? unlimited,
    ...(retryBudget && { retryBudget: budgetOf(retryBudget) }),
    ...(!retryBudget && desired.retries === undefined && speaksHttp(protocol) && { retryBudget: defaultBudget }),
  });

const endpointLimits = ({ limits: desired = {} }: ir.BackendTuning) =>
  desired.endpointConnections !== undefined && {
    perHostThresholds: [create(CircuitBreakers_ThresholdsSchema, { maxConnections: desired.endpointConnections })],
  };

/** Envoy counts retries that are under way, not those of a second; one that takes a second is one of each. */
const budgetOf = ({ percent, intervalMs, minPerSecond }: ir.RetryBudget): RetryBudget => ({
  budgetPercent: { value: percent },
  budgetInterval: durationOf(intervalMs),
  minRetryConcurrency: minPerSecond,
});

/**
 * Retries must not multiply the load on endpoints that fail because of load. The minimum is for rollouts: with two endpoints, half of the requests
 * meet one that is gone until proxies know.
 */
const defaultBudget: RetryBudget = { budgetPercent: { value: 20 }, minRetryConcurrency: 100 };

const speaksHttp = (protocol: ir.BackendProtocol): boolean => protocol === 'http1' || protocol === 'h2c';
