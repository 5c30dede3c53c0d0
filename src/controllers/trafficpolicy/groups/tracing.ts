import { spanTagsOf } from '../../policies/index.ts';
import type { RuleGroup } from './group.ts';

export const tracing: RuleGroup<'tracing'> = {
  settingsOf: ({ samplingPercent, tags, spanName }) => ({
    tracing: {
      samplingPercent,
      ...(tags && { tags: spanTagsOf(tags) }),
      ...(spanName !== undefined && { spanName }),
    },
  }),
};
