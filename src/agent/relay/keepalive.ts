/**
 * Channel options that find a control plane which vanished without closing the connection. Envoy serves on meanwhile; on a node without a
 * free core an answer takes seconds, and connecting again would only add to that.
 */
export const keepalive = { 'grpc.keepalive_time_ms': 10_000, 'grpc.keepalive_timeout_ms': 20_000 } as const;
