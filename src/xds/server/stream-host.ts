import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { TerminationReason, XdsMetrics } from '../metrics.ts';
import type { NodeEvent } from '../nodes/node-event.ts';
import type { NodeIdentity } from '../nodes/node-identity.ts';
import type { NodeRegistry } from '../nodes/node-registry.ts';
import type { Patches } from '../session/patches.ts';
import type { ResourceGroup, SnapshotVersion } from '../session/resource-group.ts';
import type { Authenticator, ClientCertificate } from './admission.ts';
import type { ClientLog } from './client-log.ts';
import type { Pump } from './pump-queue.ts';
import type { UnservedEnd } from './turned-away.ts';
import type { XdsLogger } from './xds-logger.ts';

export type AdsCall = ServerDuplexStream<Uint8Array, Uint8Array>;

/** Bounds of each stream. What they mean: XdsServerOptions. */
export interface StreamLimits {
  readonly firstRequestMs: number;
  readonly ackTimeoutMs: number;
  readonly sendTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly maxFirstRoutesBytes: number;
  readonly bindRetryMs: number;
  readonly lingerMs: number;
}

/** What the server needs of a stream. */
export interface HostedStream extends Pump {
  /** The group of the node, once it is known. */
  readonly group: ResourceGroup | undefined;
  start(): void;
  /** Ends it so that another client can connect: it has not identified itself, and too many have not. */
  giveWay(): void;
  /** Ends it when its client is too late, and does what is due. */
  tick(nowMs: number): void;
  end(reason: TerminationReason, details: string): void;
}

/** What a stream needs of the server. */
export interface StreamHost {
  readonly logger: XdsLogger;
  readonly metrics: XdsMetrics;
  readonly registry: NodeRegistry;
  readonly clock: () => Date;
  /** Without it every client is taken at its word. */
  readonly authenticator?: Authenticator | undefined;
  /** What the client of a connection showed when it connected. */
  certificateOf(peer: string): ClientCertificate;
  /** The stream ended before its first request, or was rejected. */
  neverServed(end: UnservedEnd): void;
  /** For every other line that a client can cause. */
  readonly clientLog: ClientLog;
  readonly limits: StreamLimits;
  readonly patches: Patches;
  groupOf(key: string): ResourceGroup;
  newest(group: ResourceGroup): SnapshotVersion;
  emit(event: NodeEvent): void;
  /** Why a stream of this group may not wait for its first publication; undefined: it may, or need not. */
  faultOfWaiting(group: ResourceGroup): string | undefined;
  /** The stream has said who it is. */
  identified(stream: HostedStream): void;
  /** A node that names no Gateway which was published is served by this group, and waits. */
  unknownGateway(identity: NodeIdentity, peer: string): void;
  /** Has the stream write when it is its turn, which may be now. */
  inTurn(stream: HostedStream): void;
  /** The stream has nothing to send and waits for no answer. */
  caughtUp(stream: HostedStream): void;
  ended(stream: HostedStream): void;
}
