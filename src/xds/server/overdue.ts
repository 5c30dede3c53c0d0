import { status } from '@grpc/grpc-js';
import type { TerminationReason } from '../metrics.ts';
import type { StreamLimits } from './stream-host.ts';

/** What a stream waits for; times are of `performance.now()`. */
export interface Waiting {
  /** Since when its first request is waited for, or who the client is; undefined once that came. */
  readonly unknownSinceMs: number | undefined;
  /** Who the client is, is being found out. */
  readonly admitting: boolean;
  /** Since when the client has not read a response. */
  readonly writingSinceMs: number | undefined;
  /** Since when the client owes an answer. */
  readonly waitingSinceMs: number;
}

/** Why a stream ends that waited for too long. */
export interface Overdue {
  readonly reason: TerminationReason;
  readonly details: string;
  readonly code?: status;
}

/** Undefined while there is time. */
export function overdueOf(waiting: Waiting, limits: StreamLimits, nowMs: number): Overdue | undefined {
  const { unknownSinceMs, writingSinceMs, waitingSinceMs } = waiting;
  const { firstRequestMs, sendTimeoutMs, ackTimeoutMs } = limits;
  if (unknownSinceMs !== undefined)
    return nowMs - unknownSinceMs >= firstRequestMs ? unknownFor(firstRequestMs, waiting.admitting) : undefined;
  if (writingSinceMs !== undefined) {
    if (nowMs - writingSinceMs < sendTimeoutMs) return undefined;
    return { reason: 'send_timeout', details: `the client has not read for ${sendTimeoutMs} ms` };
  }
  if (nowMs - waitingSinceMs < ackTimeoutMs) return undefined;
  return { reason: 'ack_timeout', details: `no ACK or NACK within ${ackTimeoutMs} ms` };
}

function unknownFor(firstRequestMs: number, admitting: boolean): Overdue {
  if (admitting)
    return {
      reason: 'error',
      details: 'who the client is cannot be found out in time',
      code: status.UNAVAILABLE,
    };
  return { reason: 'first_request_timeout', details: `no request within ${firstRequestMs} ms` };
}
