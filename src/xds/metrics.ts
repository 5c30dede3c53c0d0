/** Why a stream ended; the values of `…_xds_stream_terminations_total{reason}`. */
export const terminationReasons = [
  'shutdown',
  'client_disconnect',
  'superseded',
  'send_timeout',
  'ack_timeout',
  'first_request_timeout',
  'invalid_request',
  'unauthenticated',
  'limit_exceeded',
  'unsupported_version',
  'error',
] as const;

export type TerminationReason = (typeof terminationReasons)[number];

/** What the server counts, as plain calls; telemetry gives them a metrics library. Must not throw. */
export interface XdsMetrics {
  streamOpened(variant: 'delta' | 'sotw'): void;
  streamClosed(reason: TerminationReason): void;
  /** A connection was lost before it had a stream, as far as can be told for what it or we showed in TLS. */
  connectionRefused(): void;
  pushed(push: { readonly typeUrl: string; readonly bytes: number; readonly resources: number }): void;
  /** An answer came for a push; `ms` since it was handed to the stream. */
  answered(answer: { readonly typeUrl: string; readonly status: 'ACK' | 'NACK'; readonly ms: number }): void;
}

export const noMetrics: XdsMetrics = {
  streamOpened() {},
  streamClosed() {},
  connectionRefused() {},
  pushed() {},
  answered() {},
};
