/**
 * Channel options that find a control plane which vanished without closing the connection, 10 to 20 s after its last word. Envoy serves on
 * meanwhile. On a node without a free core an answer takes seconds, and connecting again would only add to that, so the timeout is no shorter.
 */
export const keepalive = { 'grpc.keepalive_time_ms': 10_000, 'grpc.keepalive_timeout_ms': 10_000 } as const;
