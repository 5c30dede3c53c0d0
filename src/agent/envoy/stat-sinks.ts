import { isIP } from 'node:net';
import { typed } from './typed.ts';

/** A receiver of metrics. `prefix` goes before names, with a dot. */
export type StatSink =
  | { readonly otlp: { readonly host: string; readonly port: number; readonly prefix?: string | undefined } }
  | { readonly statsd: Receiver & { readonly protocol: 'UDP' | 'TCP' } }
  | { readonly dogStatsd: Receiver };

interface Receiver {
  readonly host: string;
  readonly port: number;
  readonly prefix?: string | undefined;
}

/** Where an Envoy sends its metrics, and how often, in milliseconds. Statistics that nothing uses go after a multiple of that. */
export interface MetricSinks {
  readonly flushMs: number;
  readonly sinks: readonly StatSink[];
}

interface Parts {
  readonly stats_sinks: readonly object[];
  readonly clusters: readonly object[];
}

/** Parts of the bootstrap: Envoy then collects its metrics by itself, and not when it is asked for them. */
export function statSinks({ sinks, flushMs }: MetricSinks = { sinks: [], flushMs: 0 }) {
  if (sinks.length === 0) return { flush: { stats_flush_on_admin: true }, clusters: [] };
  const parts = sinks.map((sink, index) => partsOf(sink, `gatewright_metrics_${index}`));
  return {
    flush: { stats_flush_interval: `${flushMs / 1000}s`, stats_sinks: parts.flatMap(({ stats_sinks }) => stats_sinks) },
    clusters: parts.flatMap(({ clusters }) => clusters),
  };
}

const statsdSink = 'envoy.config.metrics.v3.StatsdSink';
const dogStatsdSink = 'envoy.config.metrics.v3.DogStatsdSink';
const otlpSink = 'envoy.extensions.stat_sinks.open_telemetry.v3.SinkConfig';

function partsOf(sink: StatSink, cluster: string): Parts {
  if ('otlp' in sink) return otlp(sink.otlp, cluster);
  if ('dogStatsd' in sink) {
    const { prefix } = sink.dogStatsd;
    const config = { address: byUdp(sink.dogStatsd), ...(prefix && { prefix }) };
    return { stats_sinks: [named('envoy.stat_sinks.dog_statsd', dogStatsdSink, config)], clusters: [] };
  }
  const { protocol, prefix } = sink.statsd;
  const where = protocol === 'TCP' ? { tcp_cluster_name: cluster } : { address: byUdp(sink.statsd) };
  return {
    stats_sinks: [named('envoy.stat_sinks.statsd', statsdSink, { ...where, ...(prefix && { prefix }) })],
    clusters: protocol === 'TCP' ? [clusterOf(sink.statsd, cluster)] : [],
  };
}

function otlp(receiver: Receiver, cluster: string): Parts {
  const { prefix } = receiver;
  const config = {
    grpc_service: { envoy_grpc: { cluster_name: cluster, authority: receiver.host }, timeout: '5s' },
    ...(prefix && { prefix }),
  };
  const options = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
  const http2 = {
    typed_extension_protocol_options: {
      [options]: typed(options, { explicit_http_config: { http2_protocol_options: {} } }),
    },
  };
  return {
    stats_sinks: [named('envoy.stat_sinks.open_telemetry', otlpSink, config)],
    clusters: [{ ...clusterOf(receiver, cluster), ...http2 }],
  };
}

const named = (name: string, type: string, config: Readonly<Record<string, unknown>>) => ({
  name,
  typed_config: typed(type, config),
});

const byUdp = ({ host, port }: Receiver) => ({ socket_address: { protocol: 'UDP', address: host, port_value: port } });

/** Names are asked of the agent, as absolute ones: docs/adr/0010-egress.md. */
const clusterOf = ({ host, port }: Receiver, name: string) => ({
  name,
  connect_timeout: '5s',
  type: isIP(host) === 0 ? 'STRICT_DNS' : 'STATIC',
  dns_lookup_family: 'V4_PREFERRED',
  load_assignment: {
    cluster_name: name,
    endpoints: [
      {
        lb_endpoints: [
          {
            endpoint: {
              address: {
                socket_address: { address: isIP(host) === 0 ? `${host.replace(/\.+$/, '')}.` : host, port_value: port },
              },
            },
          },
        ],
      },
    ],
  },
});
