/** Where Istio's control plane serves xDS in plain text when nothing else is configured. */
export const istioXdsPort = 15010;

/** Of its mesh, as its chart sets it. */
const domain = 'cluster.local';
const cluster = 'Kubernetes';

/**
 * What its chart sets for one replica, less what an Envoy that is not Istio's rejects: filters for metadata and protocols. Not elected:
 * it is alone. It deploys no proxies, for nothing here would run them.
 */
export function istioEnvironment(systemNamespace: string): NodeJS.ProcessEnv {
  return {
    POD_NAME: 'istiod-0',
    POD_NAMESPACE: systemNamespace,
    SERVICE_ACCOUNT: 'istiod',
    REVISION: 'default',
    CLUSTER_ID: cluster,
    PILOT_CERT_PROVIDER: 'istiod',
    PILOT_ENABLE_ANALYSIS: 'false',
    PILOT_ENABLE_GATEWAY_API: 'true',
    PILOT_ENABLE_GATEWAY_API_STATUS: 'true',
    PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER: 'false',
    PILOT_ENABLE_METADATA_EXCHANGE: 'false',
    PILOT_ENABLE_ALPN_FILTER: 'false',
    ENABLE_LEADER_ELECTION: 'false',
  };
}

/** Its arguments, as its chart has them. `mesh`: file with what `istioMesh` gives. */
export const istioArguments = (kubeconfig: string, mesh: string): readonly string[] => [
  'discovery',
  '--monitoringAddr=:15014',
  '--log_output_level=all:warn',
  '--domain',
  domain,
  '--keepaliveMaxServerConnectionAge',
  '30m',
  '--kubeconfig',
  kubeconfig,
  '--meshConfig',
  mesh,
];

/** No metrics by Istio's own filter, and no TLS to backends, whose certificates Istio's agent would bring. */
export const istioMesh = (): object => ({
  trustDomain: domain,
  enableAutoMtls: false,
  defaultProviders: { metrics: [] },
});

export interface IstioProxy {
  readonly namespace: string;
  readonly pod: string;
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
  readonly service: string;
  readonly adminPort: number;
}

/**
 * What Istio's agent starts an Envoy with, as far as xDS and memory are concerned: delta ADS, and statistics created when used and kept only
 * if they are among a few. Without the agent between: Envoy asks the control plane itself.
 */
export function istioBootstrap(proxy: IstioProxy): object {
  const ads = { ads: {}, initial_fetch_timeout: '0s', resource_api_version: 'V3' };
  return {
    node: nodeOf(proxy),
    admin: { address: address(proxy.adminPort) },
    deferred_stat_options: { enable_deferred_creation_stats: true },
    stats_config: {
      use_all_default_tags: false,
      stats_matcher: { inclusion_list: { patterns: keptStatistics.map((prefix) => ({ prefix })) } },
    },
    layered_runtime: {
      layers: [
        { name: 'global config', static_layer: { 're2.max_program_size.error_level': 32768 } },
        { name: 'admin', admin_layer: {} },
      ],
    },
    dynamic_resources: {
      lds_config: ads,
      cds_config: ads,
      ads_config: {
        api_type: 'DELTA_GRPC',
        set_node_on_first_message_only: true,
        transport_api_version: 'V3',
        grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc' } }],
      },
    },
    static_resources: { clusters: [xdsCluster] },
  };
}

const keptStatistics = [
  'reporter=',
  'cluster_manager',
  'listener_manager',
  'server',
  'cluster.xds-grpc',
  'wasm',
  'component',
  'istio',
];

/** By this the control plane finds the Gateway that an Envoy is for. */
function nodeOf({ namespace, pod, address, labels, serviceAccount, service }: IstioProxy): object {
  return {
    id: ['router', address, `${pod}.${namespace}`, `${namespace}.svc.${domain}`].join('~'),
    cluster: `${service}.${namespace}`,
    metadata: {
      NAME: pod,
      NAMESPACE: namespace,
      CLUSTER_ID: cluster,
      INSTANCE_IPS: address,
      ISTIO_VERSION: '1.31.0',
      LABELS: labels,
      SERVICE_ACCOUNT: serviceAccount,
      WORKLOAD_NAME: service,
      MESH_ID: domain,
      PROXY_CONFIG: {},
    },
  };
}

const address = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });

const xdsCluster = {
  name: 'xds-grpc',
  type: 'STATIC',
  connect_timeout: '1s',
  load_assignment: {
    cluster_name: 'xds-grpc',
    endpoints: [{ lb_endpoints: [{ endpoint: { address: address(istioXdsPort) } }] }],
  },
  upstream_connection_options: { tcp_keepalive: { keepalive_time: 300 } },
  max_requests_per_connection: 1,
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      explicit_http_config: { http2_protocol_options: {} },
    },
  },
};
