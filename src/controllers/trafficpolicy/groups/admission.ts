import { parseDurationMs } from '../../../std/index.ts';
import type { FilterGroup } from './group.ts';

const defaultWindowMs = 30_000;

/** Routes fail each by themselves: one that does must not have requests for others rejected. */
export const admission: FilterGroup<'admission'> = {
  isPerRoute: true,
  valueOf: ({ successRate = 95, window, minRequestsPerSecond = 10, maxRejectPercent = 80 }) => ({
    successRate,
    windowMs: (window === undefined ? undefined : parseDurationMs(window)) ?? defaultWindowMs,
    minRequestsPerSecond,
    maxRejected: maxRejectPercent,
  }),
};
