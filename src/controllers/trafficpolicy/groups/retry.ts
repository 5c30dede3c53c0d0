import { defined } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import { parseDurationMs } from '../../../std/index.ts';
import type { GroupSpec, RuleGroup } from './group.ts';

type Event = NonNullable<GroupSpec<'retry'>['events']>[number];

const events: Readonly<Record<Event, ir.RetryEvent>> = {
  Reset: 'reset',
  GatewayError: 'gatewayError',
  GRPCCancelled: 'cancelled',
  GRPCDeadlineExceeded: 'deadlineExceeded',
  GRPCInternal: 'internal',
  GRPCResourceExhausted: 'resourceExhausted',
  GRPCUnavailable: 'unavailable',
};

const defaultAttempts = 2;

export const retry: RuleGroup<'retry'> = {
  settingsOf({
    attempts = defaultAttempts,
    codes = [],
    events: after = [],
    backoff = {},
    perTry,
    attemptsPerPriority,
  }) {
    const backendRequestTimeoutMs = perTry === undefined ? undefined : parseDurationMs(perTry);
    const conditions = {
      codes: [...new Set(codes)].sort((a, b) => a - b),
      attempts,
      ...(after.length > 0 && { on: after.map((event) => events[event]).sort() }),
      ...defined<{ perPriority?: number; backoffMs?: number; maxBackoffMs?: number }>({
        perPriority: attemptsPerPriority,
        backoffMs: backoff.base === undefined ? undefined : parseDurationMs(backoff.base),
        maxBackoffMs: backoff.max === undefined ? undefined : parseDurationMs(backoff.max),
      }),
    };
    return {
      ...(backendRequestTimeoutMs !== undefined && { backendRequestTimeoutMs }),
      retry: attempts === 0 ? { codes: [], attempts } : conditions,
    };
  },
};
