import { defined } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import { parseDurationMs } from '../../../std/index.ts';
import type { RuleGroup } from './group.ts';

const ms = (duration: string | undefined): number | undefined =>
  duration === undefined ? undefined : parseDurationMs(duration);

export const timeouts: RuleGroup<'timeouts'> = {
  settingsOf: ({ request, streamIdle, maxStreamDuration }) =>
    defined<ir.RuleSettings>({
      requestTimeoutMs: ms(request),
      streamIdleTimeoutMs: ms(streamIdle),
      maxStreamDurationMs: ms(maxStreamDuration),
    }),
};
