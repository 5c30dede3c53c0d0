/** A query that a dashboard can use as it is, for one number or over time. */
export interface ReadyQuery {
  /** Stable. */
  readonly id: string;
  readonly title: string;
  readonly query: string;
  /** Of its values, in words that Prometheus and Grafana use. */
  readonly unit:
    | 'requests/s'
    | 'connections'
    | 'connections/s'
    | 'bytes/s'
    | 'bytes'
    | 'ms'
    | 'ratio'
    | 'count'
    | 's'
    | 'cores';
  /** Labels that identify its series. */
  readonly labels: readonly string[];
  /** Who has to be scraped for it: the agents (`/api/v1/metrics`), or the control plane (`/metrics`). */
  readonly from: 'agents' | 'control-plane';
}

/** Requests of clients, without those that agents send to their own Envoy. */
const clients = 'envoy_http_conn_manager_prefix!~"admin.*"';
const listener = 'envoy_http_conn_manager_prefix';
const cluster = 'envoy_cluster_name';
const own = `${cluster}!~"xds.*|gatewright_.*"`;

const agents = (
  id: string,
  title: string,
  unit: ReadyQuery['unit'],
  query: string,
  ...labels: string[]
): ReadyQuery => ({
  id,
  title,
  query,
  unit,
  labels,
  from: 'agents',
});

const controlPlane = (...given: Parameters<typeof agents>): ReadyQuery => ({
  ...agents(...given),
  from: 'control-plane',
});

const quantile = (share: number, by: string, metric: string, selector: string): string =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket{${selector}}[5m])))`;

/** What dashboards ask for. Names are those of Envoy 1.40 and of our own metrics. */
export const readyQueries: readonly ReadyQuery[] = [
  agents(
    'request-rate',
    'Requests per second',
    'requests/s',
    `sum(rate(envoy_http_downstream_rq_total{${clients}}[5m]))`,
  ),
  agents(
    'request-rate-by-listener',
    'Requests per second by listener',
    'requests/s',
    `sum by (${listener}) (rate(envoy_http_downstream_rq_total{${clients}}[5m]))`,
    listener,
  ),
  agents(
    'request-rate-by-class',
    'Requests per second by class of status',
    'requests/s',
    `sum by (envoy_response_code_class) (rate(envoy_http_downstream_rq_xx{${clients}}[5m]))`,
    'envoy_response_code_class',
  ),
  agents(
    'error-ratio',
    'Share of answers with status 5xx',
    'ratio',
    `(sum(rate(envoy_http_downstream_rq_xx{${clients},envoy_response_code_class="5"}[5m])) or vector(0)) / sum(rate(envoy_http_downstream_rq_xx{${clients}}[5m]))`,
  ),
  ...([0.5, 0.95, 0.99] as const).map((share) =>
    agents(
      `latency-p${share * 100}`,
      `Time to the end of the answer, ${share * 100} % are faster`,
      'ms',
      quantile(share, '', 'envoy_http_downstream_rq_time', clients),
    ),
  ),
  agents(
    'connections',
    'Open connections of clients',
    'connections',
    `sum(envoy_http_downstream_cx_active{${clients}})`,
  ),
  agents(
    'bytes-in',
    'Bytes from clients per second',
    'bytes/s',
    `sum(rate(envoy_http_downstream_cx_rx_bytes_total{${clients}}[5m]))`,
  ),
  agents(
    'bytes-out',
    'Bytes to clients per second',
    'bytes/s',
    `sum(rate(envoy_http_downstream_cx_tx_bytes_total{${clients}}[5m]))`,
  ),
  agents(
    'backend-request-rate',
    'Requests per second by backend',
    'requests/s',
    `sum by (${cluster}) (rate(envoy_cluster_upstream_rq_total{${own}}[5m]))`,
    cluster,
  ),
  agents(
    'backend-error-rate',
    'Answers with status 5xx per second by backend',
    'requests/s',
    `sum by (${cluster}) (rate(envoy_cluster_upstream_rq_xx{${own},envoy_response_code_class="5"}[5m]))`,
    cluster,
  ),
  agents(
    'backend-latency-p95',
    'Time of the backend to its answer, 95 % are faster, by backend',
    'ms',
    quantile(0.95, cluster, 'envoy_cluster_upstream_rq_time', own),
    cluster,
  ),
  agents(
    'backend-connect-failures',
    'Failed connections to backends per second',
    'connections/s',
    `sum by (${cluster}) (rate(envoy_cluster_upstream_cx_connect_fail{${own}}[5m]))`,
    cluster,
  ),
  agents(
    'backend-retries',
    'Retries per second by backend',
    'requests/s',
    `sum by (${cluster}) (rate(envoy_cluster_upstream_rq_retry{${own}}[5m]))`,
    cluster,
  ),
  agents(
    'backend-healthy-endpoints',
    'Share of endpoints that are healthy, by backend',
    'ratio',
    `sum by (${cluster}) (envoy_cluster_membership_healthy{${own}}) / (sum by (${cluster}) (envoy_cluster_membership_total{${own}}) > 0)`,
    cluster,
  ),
  agents('proxy-memory', 'Memory of Envoy', 'bytes', 'sum(envoy_server_memory_allocated)'),
  controlPlane(
    'snapshot-ok',
    'Whether the newest snapshot could be built',
    'count',
    'min(gatewright_gateway_snapshot_last_build_success)',
  ),
  controlPlane(
    'dataplanes-ready',
    'Data planes that are ready',
    'count',
    'sum(max by (gateway, node_id) (gatewright_gateway_dataplane_ready))',
  ),
  controlPlane(
    'rejected-pushes',
    'Pushes that proxies rejected, per second',
    'requests/s',
    'sum(rate(gatewright_xds_nacks_total[5m])) or vector(0)',
  ),
  controlPlane(
    'push-to-ack-p95',
    'Time from a push to its acknowledgement, 95 % are faster',
    's',
    'histogram_quantile(0.95, sum by (le) (rate(gatewright_xds_push_to_ack_seconds_bucket[5m])))',
  ),
  controlPlane(
    'admin-latency-p95',
    'Time of admin requests, 95 % are faster',
    's',
    'histogram_quantile(0.95, sum by (le) (rate(gatewright_gateway_admin_request_duration_seconds_bucket[5m])))',
  ),
  controlPlane(
    'control-plane-cpu',
    'Processor time of the control plane',
    'cores',
    'sum(rate(gatewright_process_cpu_seconds_total[5m]))',
  ),
  controlPlane(
    'control-plane-memory',
    'Memory of the control plane',
    'bytes',
    'sum(gatewright_process_resident_memory_bytes)',
  ),
];
