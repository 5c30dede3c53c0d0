/** Where kgateway's control plane serves xDS when nothing else is configured. */
export const kgatewayXdsPort = 9977;

/**
 * What its chart sets for one replica. Not elected: it is alone, and an election would wait for the Lease of the one before. The Gateway API
 * in the world may be newer than the one it was built for.
 */
export function kgatewayEnvironment(kubeconfig: string, systemNamespace: string): NodeJS.ProcessEnv {
  return {
    KUBECONFIG: kubeconfig,
    POD_NAMESPACE: systemNamespace,
    KGW_LOG_LEVEL: 'warn',
    KGW_XDS_SERVICE_HOST: '127.0.0.1',
    KGW_XDS_SERVICE_PORT: String(kgatewayXdsPort),
    KGW_DEFAULT_IMAGE_TAG: 'never-runs',
    KGW_VALIDATION_MODE: 'standard',
    KGW_DISABLE_LEADER_ELECTION: 'true',
  };
}

export interface KgatewayProxy {
  readonly namespace: string;
  readonly gateway: string;
  /** File with the token that it shows to its control plane. */
  readonly token: string;
  readonly adminPort: number;
}

/** What kgateway starts its Envoys with, as far as xDS and memory are concerned: state-of-the-world ADS in plain text, with a pod's token. */
export function kgatewayBootstrap({ namespace, gateway, token, adminPort }: KgatewayProxy): object {
  const local = `${gateway}.${namespace}`;
  const ads = (first: string) => ({ ads: {}, resource_api_version: 'V3', initial_fetch_timeout: first });
  return {
    admin: { address: address(adminPort) },
    layered_runtime: {
      layers: [
        { name: 'static_layer', static_layer: { 'envoy.restart_features.use_eds_cache_for_ads': true } },
        { name: 'admin_layer', admin_layer: {} },
      ],
    },
    node: { cluster: local, metadata: { role: `kgateway-kube-gateway-api~${namespace}~${gateway}` } },
    cluster_manager: { local_cluster_name: local },
    static_resources: {
      clusters: [
        {
          name: local,
          type: 'EDS',
          connect_timeout: '0.25s',
          // As its own template has it: Envoy waits that long at each start, for endpoints that come after clusters.
          eds_cluster_config: { eds_config: ads('1s') },
        },
        xdsCluster(token),
      ],
    },
    dynamic_resources: {
      ads_config: {
        transport_api_version: 'V3',
        api_type: 'GRPC',
        rate_limit_settings: {},
        grpc_services: [{ envoy_grpc: { cluster_name: 'xds_cluster' } }],
      },
      cds_config: ads('0s'),
      lds_config: ads('0s'),
    },
  };
}

const type = (name: string) => ({ '@type': `type.googleapis.com/${name}` });
const address = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });

function xdsCluster(token: string): object {
  return {
    name: 'xds_cluster',
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: {
      cluster_name: 'xds_cluster',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: address(kgatewayXdsPort) } }] }],
    },
    upstream_connection_options: { tcp_keepalive: { keepalive_time: 10 } },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        ...type('envoy.extensions.upstreams.http.v3.HttpProtocolOptions'),
        explicit_http_config: { http2_protocol_options: {} },
        http_filters: [
          { name: 'envoy.filters.http.credential_injector', typed_config: credential(token) },
          {
            name: 'envoy.filters.http.upstream_codec',
            typed_config: type('envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec'),
          },
        ],
      },
    },
  };
}

function credential(token: string): object {
  return {
    ...type('envoy.extensions.filters.http.credential_injector.v3.CredentialInjector'),
    overwrite: true,
    credential: {
      name: 'envoy.http.injected_credentials.generic',
      typed_config: {
        ...type('envoy.extensions.http.injected_credentials.generic.v3.Generic'),
        credential: {
          name: 'xds-jwt-token',
          sds_config: { path_config_source: { path: token }, resource_api_version: 'V3' },
        },
        header_value_prefix: 'Bearer ',
      },
    },
  };
}

/** The secret that a bootstrap's `token` names, in the form in which Envoy reads secrets from files. */
export const tokenSecret = (token: string): object => ({
  resources: [
    {
      ...type('envoy.extensions.transport_sockets.tls.v3.Secret'),
      name: 'xds-jwt-token',
      generic_secret: { secret: { inline_string: token } },
    },
  ],
});
