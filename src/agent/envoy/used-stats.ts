/** Values of a histogram that are alike: from the lower bound on, up to a tenth of it wide. */
export interface Bin {
  readonly lowerBound: number;
  readonly width: number;
  /** Since Envoy's start. */
  readonly count: number;
}

/** Envoy's statistics that are not as they were at its start, by name. */
export interface UsedStats {
  readonly values: ReadonlyMap<string, number>;
  /** As finely as Envoy keeps them, whatever buckets its bootstrap asks for. */
  readonly histograms: ReadonlyMap<string, readonly Bin[]>;
}

interface RawBin {
  readonly lower_bound: number;
  readonly width: number;
  readonly count: number;
}

interface RawEntry {
  readonly name?: string;
  readonly value?: unknown;
  readonly histograms?: {
    readonly details?: readonly { readonly name: string; readonly totals?: readonly RawBin[] }[];
  };
}

/** What `/stats?format=json&usedonly&histogram_buckets=detailed` answers. */
export function readUsedStats(answer: unknown): UsedStats {
  const { stats = [] } = answer as { readonly stats?: readonly RawEntry[] };
  const values = new Map<string, number>();
  const histograms = new Map<string, readonly Bin[]>();
  for (const { name, value, histograms: some } of stats) {
    if (name !== undefined && typeof value === 'number') values.set(name, value);
    for (const { name: each, totals = [] } of some?.details ?? []) histograms.set(each, totals.map(binOf));
  }
  return { values, histograms };
}

const binOf = ({ lower_bound, width, count }: RawBin): Bin => ({ lowerBound: lower_bound, width, count });
