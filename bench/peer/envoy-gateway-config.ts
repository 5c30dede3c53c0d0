import { join } from 'node:path';

/** How fast it may ask the API server: requests per second and burst. Its own default is 50 and 100. */
export interface ClientRate {
  readonly qps: number;
  readonly burst: number;
}

export interface EnvoyGatewayOptions {
  readonly rate?: ClientRate;
  /** `HOST:PORT` of what its ratelimit service keeps limits in; there is no such service when left out. */
  readonly redis?: string;
  /** How many Envoys; one when left out. */
  readonly proxies?: number;
}

/** Envoy Gateway alone: its deployments do not run, and its webhook is not called. */
export function envoyGatewayConfig({ rate, redis }: Pick<EnvoyGatewayOptions, 'rate' | 'redis'>): object {
  return {
    apiVersion: 'gateway.envoyproxy.io/v1alpha1',
    kind: 'EnvoyGateway',
    gateway: { controllerName: 'gateway.envoyproxy.io/gatewayclass-controller' },
    ...(redis !== undefined && { rateLimit: { backend: { type: 'Redis', redis: { url: redis } } } }),
    logging: { level: { default: 'warn' } },
    provider: {
      type: 'Kubernetes',
      kubernetes: {
        leaderElection: { disable: true },
        proxyTopologyInjector: { disabled: true },
        ...(rate && { client: { rateLimit: rate } }),
      },
    },
  };
}

/** What it starts its proxies with, as far as xDS and memory are concerned: delta ADS over mutual TLS, statistics created when used. */
export function envoyGatewayBootstrap(certificates: string, adminPort: number): object {
  const file = (name: string) => ({ filename: join(certificates, name) });
  const tls = {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
    common_tls_context: {
      tls_params: { tls_maximum_protocol_version: 'TLSv1_3' },
      tls_certificates: [{ certificate_chain: file('tls.crt'), private_key: file('tls.key') }],
      validation_context: { trusted_ca: file('ca.crt') },
    },
  };
  const http2 = {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    explicit_http_config: {
      http2_protocol_options: { connection_keepalive: { interval: '30s', timeout: '5s' } },
    },
  };
  const address = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });
  return {
    admin: { address: address(adminPort) },
    deferred_stat_options: { enable_deferred_creation_stats: true },
    dynamic_resources: {
      ads_config: {
        api_type: 'DELTA_GRPC',
        transport_api_version: 'V3',
        grpc_services: [{ envoy_grpc: { cluster_name: 'xds_cluster' } }],
        set_node_on_first_message_only: true,
      },
      lds_config: { ads: {}, initial_fetch_timeout: '0s', resource_api_version: 'V3' },
      cds_config: { ads: {}, initial_fetch_timeout: '0s', resource_api_version: 'V3' },
    },
    layered_runtime: {
      layers: [{ name: 'static', static_layer: { 're2.max_program_size.error_level': 4294967295 } }],
    },
    static_resources: {
      clusters: [
        {
          name: 'xds_cluster',
          type: 'STATIC',
          connect_timeout: '10s',
          typed_extension_protocol_options: { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': http2 },
          transport_socket: { name: 'envoy.transport_sockets.tls', typed_config: tls },
          load_assignment: {
            cluster_name: 'xds_cluster',
            endpoints: [{ lb_endpoints: [{ endpoint: { address: address(18000) } }] }],
          },
        },
      ],
    },
  };
}
