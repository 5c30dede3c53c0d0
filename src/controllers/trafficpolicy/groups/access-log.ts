import { defined } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import { parseDurationMs } from '../../../std/index.ts';
import type { RuleGroup } from './group.ts';

export const accessLog: RuleGroup<'accessLog'> = {
  isOfAnswers: true,
  settingsOf: ({ enabled, minStatus, maxStatus, minDuration, tags }) => ({
    accessLog: enabled
      ? defined<ir.RuleLog>({
          minStatus,
          maxStatus,
          minDurationMs: minDuration === undefined ? undefined : parseDurationMs(minDuration),
          tags,
        })
      : { off: true },
  }),
};
