import { status } from '@grpc/grpc-js';
import type { TerminationReason } from '../metrics.ts';
import type { AdsCall } from './stream-host.ts';

/** The gRPC status of each way to end. */
export const endCodes: Record<TerminationReason, status> = {
  shutdown: status.UNAVAILABLE,
  client_disconnect: status.OK,
  superseded: status.ABORTED,
  send_timeout: status.DEADLINE_EXCEEDED,
  ack_timeout: status.DEADLINE_EXCEEDED,
  first_request_timeout: status.DEADLINE_EXCEEDED,
  invalid_request: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  limit_exceeded: status.RESOURCE_EXHAUSTED,
  unsupported_version: status.FAILED_PRECONDITION,
  error: status.INTERNAL,
};

/** grpc-js has no public way to reset a server stream; without this one a client that never reads pins its last response. */
export function resetStream(call: AdsCall): void {
  const { stream } = (call as unknown as { call?: { stream?: { close?: (code: number) => void } } }).call ?? {};
  const cancel = 0x8;
  stream?.close?.(cancel);
}
