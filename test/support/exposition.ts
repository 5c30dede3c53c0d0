/** One sample of an exposition. */
export interface Sample {
  /** Of the metric, without `_bucket`, `_sum` or `_count` of a histogram. */
  readonly metric: string;
  readonly series: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of a Prometheus text exposition. */
export function samplesOf(exposition: string): Sample[] {
  const types = new Map([...exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
  return [...exposition.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/gm)].map(([, series = '', labels, value]) => {
    const base = series.replace(/_(?:bucket|sum|count)$/, '');
    const metric = ['histogram', 'summary'].includes(types.get(base) ?? '') ? base : series;
    return { metric, series, labels: labelsOf(labels ?? ''), value: Number(value) };
  });
}

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]));

/** Scrapes of one listener over time: which series there were, and which metrics have changed. */
export class Scrapes {
  readonly #read: () => Promise<string>;
  /** What each scrape said of each metric, as one text. */
  readonly #values: ReadonlyMap<string, string>[] = [];
  readonly #samples = new Map<string, Sample>();

  constructor(read: () => Promise<string>) {
    this.#read = read;
  }

  /** Takes one, and gives it. */
  async take(): Promise<string> {
    const text = await this.#read();
    const samples = samplesOf(text);
    for (const sample of samples) this.#samples.set(JSON.stringify([sample.series, sample.labels]), sample);
    const groups = [...Map.groupBy(samples, ({ metric }) => metric)];
    this.#values.push(new Map(groups.map(([metric, group]) => [metric, JSON.stringify(group)])));
    return text;
  }

  /** Each series that any scrape had. */
  get samples(): readonly Sample[] {
    return [...this.#samples.values()];
  }

  /** Whether a metric had other samples in one scrape than in another, or none in one of them. */
  hasChanged(metric: string): boolean {
    return new Set(this.#values.map((values) => values.get(metric))).size > 1;
  }
}
