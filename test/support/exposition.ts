/** One sample of an exposition. */
export interface Sample {
  /** Of the metric, without `_bucket`, `_sum` or `_count` of a histogram. */
  readonly metric: string;
  readonly series: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of a Prometheus text exposition. */
export const samplesOf = (exposition: string): Sample[] => linesOf(exposition).map(sampleOf);

interface Line {
  readonly metric: string;
  readonly text: string;
}

/** What is no comment, each with its metric. Labels are read of those alone that are looked at: an exposition has hundreds of lines. */
function linesOf(exposition: string): Line[] {
  const histograms = new Set<string>();
  const lines: Line[] = [];
  for (const text of exposition.split('\n')) {
    const type = /^# TYPE (\S+) (?:histogram|summary)$/.exec(text);
    if (type) histograms.add(type[1] ?? '');
    const [series] = /^[a-zA-Z_:][\w:]*/.exec(text) ?? [];
    if (series === undefined) continue;
    const base = series.replace(/_(?:bucket|sum|count)$/, '');
    lines.push({ metric: histograms.has(base) ? base : series, text });
  }
  return lines;
}

function sampleOf({ metric, text }: Line): Sample {
  const [, series = '', labels = '', value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(text) ?? [];
  return { metric, series, labels: labelsOf(labels), value: Number(value) };
}

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]));

const withoutValue = (text: string): string => text.slice(0, text.lastIndexOf(' '));

/** Scrapes of one listener over time: which series there were, and which metrics have changed. */
export class Scrapes {
  readonly #read: () => Promise<string>;
  /** What the last scrape said of each metric, as one text. */
  #last: ReadonlyMap<string, string> | undefined;
  readonly #changed = new Set<string>();
  /** The newest line of each series. */
  readonly #lines = new Map<string, Line>();

  constructor(read: () => Promise<string>) {
    this.#read = read;
  }

  /** Takes one, and gives it. */
  async take(): Promise<string> {
    const text = await this.#read();
    const values = new Map<string, string>();
    for (const line of linesOf(text)) {
      this.#lines.set(withoutValue(line.text), line);
      values.set(line.metric, `${values.get(line.metric) ?? ''}${line.text}\n`);
    }
    const last = this.#last ?? values;
    for (const metric of [...last.keys(), ...values.keys()])
      if (last.get(metric) !== values.get(metric)) this.#changed.add(metric);
    this.#last = values;
    return text;
  }

  /** Each series that any scrape had. */
  get samples(): readonly Sample[] {
    return [...this.#lines.values()].map(sampleOf);
  }

  /** Whether a metric had other samples in one scrape than in another, or none in one of them. */
  hasChanged(metric: string): boolean {
    return this.#changed.has(metric);
  }
}
