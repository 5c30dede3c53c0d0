import type { AiQuestion, UsageRow } from '../data.ts';
import { headOf, type Merged, type ReportHead, sumOf } from './merged.ts';

export const groupings = ['model', 'service', 'route', 'provider', 'key'] as const;
export type Grouping = (typeof groupings)[number];

interface Counts {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly requests: number;
  /** Answers that ended well without a report of their usage. */
  readonly unmetered: number;
}

/** What was used in one step of time, by one of what it is grouped by. */
export interface UsagePoint extends Counts {
  readonly model: string | null;
  readonly service: string | null;
  readonly route: string | null;
  readonly provider: string | null;
  readonly key: string | null;
  readonly timestamp: string;
}

export interface TokenUsageReport extends ReportHead {
  readonly groupBy: Grouping;
  readonly totals: Counts;
  readonly series: readonly UsagePoint[];
}

/** Tokens by time. `providerOf`: of a service's key. */
export function tokenUsage(
  question: AiQuestion,
  merged: Merged,
  groupBy: Grouping,
  providerOf: (service: string) => string,
): TokenUsageReport {
  const nameOf = (row: UsageRow): string => (groupBy === 'provider' ? providerOf(row.service) : row[groupBy]);
  const groups = Map.groupBy(merged.data.usage, (row) => JSON.stringify([row.at, nameOf(row)]));
  const series = [...groups.values()].map((rows): UsagePoint => {
    const [first] = rows as [UsageRow, ...UsageRow[]];
    // A dimension that all rows of the group share is shown, whatever the query groups by.
    const only = (value: (row: UsageRow) => string): string | null =>
      rows.every((row) => value(row) === value(first)) ? value(first) : null;
    return {
      model: only(({ model }) => model),
      service: only(({ service }) => service),
      route: only(({ route }) => route),
      provider: only(({ service }) => providerOf(service)),
      key: only(({ key }) => key),
      ...countsOf(rows),
      timestamp: new Date(first.at).toISOString(),
    };
  });
  const order = ({ timestamp, [groupBy]: name }: UsagePoint) => `${timestamp} ${name}`;
  return {
    ...headOf(question, merged),
    groupBy,
    totals: countsOf(merged.data.usage),
    series: series.sort((a, b) => (order(a) < order(b) ? -1 : 1)),
  };
}

const countsOf = (rows: readonly UsageRow[]): Counts => ({
  promptTokens: sumOf(rows, ({ input }) => input),
  completionTokens: sumOf(rows, ({ output }) => output),
  totalTokens: sumOf(rows, ({ input, output }) => input + output),
  cachedTokens: sumOf(rows, ({ cached }) => cached),
  cacheWriteTokens: sumOf(rows, ({ cacheWrite }) => cacheWrite),
  reasoningTokens: sumOf(rows, ({ reasoning }) => reasoning),
  requests: sumOf(rows, ({ requests }) => requests),
  unmetered: sumOf(rows, ({ unmetered }) => unmetered),
});
