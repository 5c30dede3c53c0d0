import type { XdsMetrics } from '../metrics.ts';
import type { NodeRef, NodeView } from '../nodes/node-view.ts';
import type { Authenticator } from './admission.ts';
import type { StreamLimits } from './stream-host.ts';
import type { XdsLogger } from './xds-logger.ts';

/** All times are milliseconds. */
export interface XdsServerOptions {
  readonly logger: XdsLogger;
  readonly clock?: () => Date;
  readonly metrics?: XdsMetrics;
  /** Finds out who clients are. Without it each is taken at its word. */
  readonly authenticator?: Authenticator | undefined;
  /** The key of a Gateway that a client may have meant, among those that there are. */
  readonly nearest?: (cluster: string, known: readonly string[]) => string | undefined;
  /** How long a stream may go without its first request, and a connection without its first stream. Default 10,000. */
  readonly firstRequestMs?: number;
  /** How long a connection whose streams have ended is kept. Default 5 minutes. */
  readonly idleConnectionMs?: number;
  /** How long a response may stay unanswered before its stream is ended. Default 60,000. */
  readonly ackTimeoutMs?: number;
  /** How long a client may leave a response unread. Default 30,000. */
  readonly sendTimeoutMs?: number;
  /** HTTP/2 pings to a silent client, and how long to wait for the echo. Defaults 30,000 and 20,000. */
  readonly keepaliveMs?: number;
  readonly keepaliveTimeoutMs?: number;
  /** How long to wait before a listener is sent again that a proxy rejected as its port was taken. Default 5,000, and doubled each time up to a minute. */
  readonly bindRetryMs?: number;
  /** How long listeners and clusters of AI traffic stay with proxies after they have gone: answers may still come by them. 10 minutes by default. */
  readonly lingerMs?: number;
  /** How long a node stays listed after it was lost. Default ten minutes. */
  readonly keepNodesMs?: number;
  /** Called when every node has answered what was published for its gateway, or left. */
  readonly onTaken?: () => void;
  /** What other replicas know of a node, when it connects here; nothing by default. */
  readonly elsewhere?: (node: NodeRef) => NodeView | undefined;
  /** About how big a delta response gets before the rest goes into another one. Default 4 MiB. */
  readonly maxResponseBytes?: number;
  /** The same for the first routes of a stream (see SessionOptions). Default 32 MiB. */
  readonly maxFirstRoutesBytes?: number;
  /** The biggest request that is read. Default 16 MiB: a reconnecting proxy lists all it has. */
  readonly maxRequestBytes?: number;
}

const mebibyte = 1024 * 1024;

export const streamLimits = ({
  firstRequestMs = 10_000,
  ackTimeoutMs = 60_000,
  sendTimeoutMs = 30_000,
  maxResponseBytes = 4 * mebibyte,
  maxFirstRoutesBytes = 32 * mebibyte,
  bindRetryMs = 5_000,
  lingerMs = 600_000,
}: XdsServerOptions): StreamLimits => ({
  firstRequestMs,
  ackTimeoutMs,
  sendTimeoutMs,
  maxResponseBytes,
  maxFirstRoutesBytes,
  bindRetryMs,
  lingerMs,
});

/** What the gRPC server is started with. */
export const grpcOptions = (options: XdsServerOptions, streamsPerConnection: number) => ({
  'grpc.keepalive_time_ms': options.keepaliveMs ?? 30_000,
  'grpc.keepalive_timeout_ms': options.keepaliveTimeoutMs ?? 20_000,
  'grpc.max_receive_message_length': options.maxRequestBytes ?? 16 * mebibyte,
  'grpc.max_send_message_length': -1,
  'grpc.max_concurrent_streams': streamsPerConnection,
  'grpc.max_connection_idle_ms': options.idleConnectionMs ?? 300_000,
});
