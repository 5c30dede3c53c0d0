import { all, any, fields, type SafeFields, text, time, whole } from './field.ts';
import { buffer, commonOptions, http1Options, http2Options, percent } from './protocol.ts';

/**
 * `envoy.config.listener.v3.Listener`: how connections are taken in. Where it listens, its chains and filters, and options of its socket, which Envoy
 * changes on no open port, are not here.
 */
export const listenerFields: SafeFields = {
  per_connection_buffer_limit_bytes: buffer,
  per_connection_buffer_high_watermark_timeout: time(1000),
  listener_filters_timeout: time(100, 60_000),
  tcp_backlog_size: whole(65_535, 1),
  max_connections_to_accept_per_socket_event: whole(1000, 1),
};

const shown = text(/^[\x21-\x7e]{1,64}$/, 'of 1 to 64 visible characters of ASCII');

/**
 * The connection manager: times, limits and what it writes into messages by itself. Routes, filters, logs, traces, what paths, hosts and addresses of
 * clients are taken for, and which headers of clients are believed are not here.
 */
export const connectionManagerFields: SafeFields = {
  common_http_protocol_options: fields({ ...commonOptions, idle_timeout: time(1000) }),
  http_protocol_options: fields(http1Options),
  http2_protocol_options: fields(http2Options),
  stream_idle_timeout: time(),
  stream_flush_timeout: time(1000),
  request_timeout: time(),
  // Without one, a client that never ends its headers keeps a connection for as long as it likes.
  request_headers_timeout: time(100, 300_000),
  drain_timeout: time(0, 600_000),
  drain_timeout_jitter: percent,
  delayed_close_timeout: time(0, 60_000),
  max_request_headers_kb: whole(8192, 1),
  ...all(shown, 'server_name', 'via'),
  server_header_transformation: any,
  ...all(any, 'always_set_request_id_in_response', 'append_local_overload', 'http1_safe_max_connection_duration'),
  stream_error_on_invalid_http_message: any,
  proxy_status_config: fields({
    ...all(any, 'remove_details', 'remove_connection_termination_details', 'remove_response_flags'),
    literal_proxy_name: shown,
  }),
};
