import { all, any, fields, type SafeFields, time, whole } from './field.ts';

export const percent = fields({ value: whole(100) });

/** `envoy.config.core.v3.HttpProtocolOptions`. What is done with names with underscores is not here: rules of access go by headers. */
export const commonOptions: SafeFields = {
  ...all(time(), 'idle_timeout', 'max_connection_duration', 'max_stream_duration'),
  max_connection_duration_jitter: percent,
  max_headers_count: whole(10_000, 1),
  max_requests_per_connection: whole(0xffff_ffff),
};

/** `envoy.config.core.v3.Http1ProtocolOptions`, without what leaves open where a request ends or what its host is. */
export const http1Options: SafeFields = {
  header_key_format: fields({ proper_case_words: fields({}) }),
  ...all(any, 'enable_trailers', 'accept_http_10', 'override_stream_error_on_invalid_http_message'),
};

const mostWindow = 16 * 1024 * 1024;
const leastWindow = 65_535;

/** `envoy.config.core.v3.Http2ProtocolOptions`, without the limits that hold off floods. Windows are memory that a peer can have taken. */
export const http2Options: SafeFields = {
  hpack_table_size: whole(65_536),
  max_concurrent_streams: whole(0x7fff_ffff, 1),
  ...all(whole(mostWindow, leastWindow), 'initial_stream_window_size', 'initial_connection_window_size'),
  override_stream_error_on_invalid_http_message: any,
  enable_huffman_encoding: any,
  connection_keepalive: fields({
    ...all(time(100), 'interval', 'timeout', 'connection_idle_interval'),
    interval_jitter: percent,
  }),
};

/** `envoy.config.core.v3.TcpKeepalive`, in seconds. */
export const tcpKeepalive: SafeFields = all(
  whole(32_767, 1),
  'keepalive_probes',
  'keepalive_time',
  'keepalive_interval',
);

/** Bytes that one connection may hold. */
export const buffer = whole(64 * 1024 * 1024, 1024);
