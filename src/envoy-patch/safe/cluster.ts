import { all, any, fields, type SafeFields, time, whole } from './field.ts';
import { buffer, commonOptions, http1Options, http2Options, percent, tcpKeepalive } from './protocol.ts';

const budget: SafeFields = {
  budget_percent: percent,
  budget_interval: time(),
  min_retry_concurrency: any,
};

const thresholds: SafeFields = {
  ...all(any, 'priority', 'max_connections', 'max_pending_requests', 'max_requests', 'max_retries', 'track_remaining'),
  ...all(any, 'max_connection_pools'),
  retry_budget: fields(budget),
};

/** All but `monitors`, which are extensions. */
const outlierDetection: SafeFields = {
  ...all(time(100), 'interval', 'base_ejection_time', 'max_ejection_time'),
  max_ejection_time_jitter: time(),
  ...all(
    whole(100),
    'max_ejection_percent',
    'enforcing_consecutive_5xx',
    'enforcing_success_rate',
    'enforcing_consecutive_gateway_failure',
    'enforcing_consecutive_local_origin_failure',
    'enforcing_local_origin_success_rate',
    'failure_percentage_threshold',
    'enforcing_failure_percentage',
    'enforcing_failure_percentage_local_origin',
  ),
  ...all(
    any,
    'consecutive_5xx',
    'success_rate_minimum_hosts',
    'success_rate_request_volume',
    'success_rate_stdev_factor',
    'consecutive_gateway_failure',
    'split_external_local_origin_errors',
    'consecutive_local_origin_failure',
    'failure_percentage_minimum_hosts',
    'failure_percentage_request_volume',
    'successful_active_health_check_uneject_host',
    'always_eject_one_host',
    'detect_degraded_hosts',
  ),
};

/**
 * `envoy.config.cluster.v3.Cluster`: how connections are made, kept and given up. Where they lead, what protects them, how they are called
 * in metrics and how an endpoint is chosen are not here. Neither are health checks: some that Envoy 1.40 takes end its process.
 */
export const clusterFields: SafeFields = {
  connect_timeout: time(1, 600_000),
  per_connection_buffer_limit_bytes: buffer,
  per_connection_buffer_high_watermark_timeout: time(),
  circuit_breakers: fields({ thresholds: fields(thresholds), per_host_thresholds: fields({ max_connections: any }) }),
  outlier_detection: fields(outlierDetection),
  upstream_connection_options: fields({
    tcp_keepalive: fields(tcpKeepalive),
    set_local_interface_name_on_upstream_connections: any,
    happy_eyeballs_config: fields(all(any, 'first_address_family_version', 'first_address_family_count')),
  }),
  common_lb_config: fields({
    healthy_panic_threshold: percent,
    update_merge_window: time(0, 60_000),
    ignore_new_hosts_until_first_hc: any,
    close_connections_on_host_set_change: any,
  }),
  close_connections_on_host_health_failure: any,
  connection_pool_per_downstream_connection: any,
  wait_for_warm_on_init: any,
  cleanup_interval: time(1000),
  preconnect_policy: fields(all(whole(3, 1), 'per_upstream_preconnect_ratio', 'predictive_preconnect_ratio')),
  track_cluster_stats: fields(all(any, 'timeout_budgets', 'request_response_sizes', 'per_endpoint_stats')),
};

/** What the protocol that is spoken has of both; one that is not spoken stays as it is. */
const protocols = fields({
  http_protocol_options: fields(http1Options),
  http2_protocol_options: fields(http2Options),
});

/** `envoy.extensions.upstreams.http.v3.HttpProtocolOptions`, of which the versions stay those that are spoken. */
export const httpProtocolFields: SafeFields = {
  common_http_protocol_options: fields({ ...commonOptions, max_response_headers_kb: whole(8192, 1) }),
  explicit_http_config: protocols,
  use_downstream_protocol_config: protocols,
};
