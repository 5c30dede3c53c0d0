import { addSums, type Group, noSums, quantileOf, type Sums } from '../../traffic/index.ts';
import { parseItem } from './groups.ts';
import type { TrafficRecord } from './record.ts';

export const sorts = ['errors', 'requests', 'p99'] as const;
export type Sort = (typeof sorts)[number];

type Item = TrafficRecord['items'][number];
type Shares = TrafficRecord['totals'];

const places = 1000;
const rounded = (value: number): number => Math.round(value * places) / places;

function sharesOf(sums: Sums, seconds: number): Shares {
  const { requests, errors, classes, ms } = sums;
  const [none = 0, informational = 0, good = 0, redirected = 0, wrong = 0, failed = 0] = classes;
  return {
    requests,
    errors,
    perSecond: rounded(requests / seconds),
    byClass: { '1xx': informational, '2xx': good, '3xx': redirected, '4xx': wrong, '5xx': failed, none },
    // Counters are read one after the other, so the parts of a moment may not add up to the whole.
    errorRatio: requests === 0 ? null : Math.min(1, Math.round((errors / requests) * 1e6) / 1e6),
    meanMs: requests === 0 ? null : rounded(ms / requests),
    p50Ms: quantileOf(sums, 0.5),
    p99Ms: quantileOf(sums, 0.99),
  };
}

const order: Readonly<Record<Sort, (group: Group) => number>> = {
  errors: ({ sums }) => sums.errors,
  requests: ({ sums }) => sums.requests,
  // Slower than the last bucket is slower than all others.
  p99: ({ sums }) => (sums.requests === 0 ? -1 : (quantileOf(sums, 0.99) ?? Number.POSITIVE_INFINITY)),
};

/** The worst first; where that is equal the busiest, then by name, so that two answers have one order. */
function sorted(groups: ReadonlyMap<string, Group>, sort: Sort): [string, Group][] {
  const keyed = [...groups].map((entry) => ({ entry, key: order[sort](entry[1]), requests: entry[1].sums.requests }));
  keyed.sort((a, b) => {
    if (a.key !== b.key) return a.key > b.key ? -1 : 1;
    return b.requests - a.requests || (a.entry[0] < b.entry[0] ? -1 : 1);
  });
  return keyed.map(({ entry }) => entry);
}

/** All together, and the first items. */
export function showGroups(
  groups: ReadonlyMap<string, Group>,
  {
    sort,
    limit,
    seconds,
    withSeries,
  }: { readonly sort: Sort; readonly limit: number; readonly seconds: number; readonly withSeries: boolean },
): Pick<TrafficRecord, 'totals' | 'total' | 'items'> {
  const totals = noSums();
  for (const { sums } of groups.values()) addSums(totals, sums);
  const items = sorted(groups, sort)
    .slice(0, limit)
    .map(([name, { sums, points }]): Item => {
      const item = parseItem(name);
      return {
        ...item,
        reason: item.reason as Item['reason'],
        ...sharesOf(sums, seconds),
        flags: Object.fromEntries(Object.entries(sums.flags).sort((a, b) => b[1] - a[1])),
        ...(withSeries && { series: seriesOf(points) }),
      };
    });
  return { totals: sharesOf(totals, seconds), total: groups.size, items };
}

const seriesOf = (points: Group['points']): [number, number, number][] =>
  [...points]
    .filter(([, [requests]]) => requests > 0)
    .sort(([a], [b]) => a - b)
    .map(([start, [requests, errors]]) => [start / 1000, requests, errors]);
