/** One bucket of a histogram: how many values are above the bound before it, and not above its own. */
export interface Bucket {
  readonly upperBound: number;
  readonly count: number;
}

/** Envoy's statistics since its start, by name. */
export interface EnvoyStats {
  readonly values: ReadonlyMap<string, number>;
  /** Disjoint buckets, ascending. */
  readonly histograms: ReadonlyMap<string, readonly Bucket[]>;
}

interface RawHistogram {
  readonly name: string;
  readonly buckets?: readonly { readonly upper_bound: number; readonly cumulative: number }[];
}

interface RawEntry {
  readonly name?: string;
  readonly value?: unknown;
  readonly histograms?: readonly RawHistogram[];
}

/** What `/stats?format=json&histogram_buckets=disjoint` answers. Texts among the statistics are left out. */
export function readStats(answer: unknown): EnvoyStats {
  const { stats = [] } = answer as { readonly stats?: readonly RawEntry[] };
  const values = new Map<string, number>();
  const histograms = new Map<string, readonly Bucket[]>();
  for (const { name, value, histograms: some } of stats) {
    if (name !== undefined && typeof value === 'number') values.set(name, value);
    for (const histogram of some ?? []) histograms.set(histogram.name, bucketsOf(histogram));
  }
  return { values, histograms };
}

// "cumulative" is Envoy's word for "since the start"; the buckets are disjoint all the same.
const bucketsOf = ({ buckets = [] }: RawHistogram): Bucket[] =>
  buckets.map(({ upper_bound, cumulative }) => ({ upperBound: upper_bound, count: cumulative }));

/** The value below which `share` of all values are, with values spread evenly over each bucket; null when there are none. */
export function quantile(histograms: readonly (readonly Bucket[])[], share: number): number | null {
  const counts = new Map<number, number>();
  for (const { upperBound, count } of histograms.flat()) counts.set(upperBound, (counts.get(upperBound) ?? 0) + count);
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  let before = 0;
  let lower = 0;
  for (const [upper, count] of buckets) {
    if (count > 0 && before + count >= share * total) {
      const value = lower + ((upper - lower) * (share * total - before)) / count;
      return Math.round(value * 1000) / 1000;
    }
    before += count;
    lower = upper;
  }
  return lower;
}
