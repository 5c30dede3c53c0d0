import type { MetricType } from '@prometheus-io/client';

export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** One value, of a metric without labels, or one for each combination of labels. */
export type Reading<Label extends string> = [Label] extends [never]
  ? number
  : Iterable<readonly [labels: Labels<Label>, value: number]>;

/** What a histogram holds that another part of the program keeps. */
export interface HistogramReading {
  /** Upper bounds of the buckets, without infinity. */
  readonly bounds: readonly number[];
  /** How many values each bucket alone has; the last one is for those above every bound. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** One histogram, of a metric without labels, or one for each combination of labels. */
export type HistogramReadings<Label extends string> = [Label] extends [never]
  ? HistogramReading
  : Iterable<readonly [labels: Labels<Label>, reading: HistogramReading]>;

/** A metric that is read at each scrape, so that no event has to keep it up to date. */
export class Observed<Value> {
  #read: (() => Value) | undefined;

  /** From now on `read` gives the value. Until then it is what the declaration says of the start. */
  readBy(read: () => Value): void {
    this.#read = read;
  }

  /** Undefined: it is not read yet. */
  read(): Value | undefined {
    return this.#read?.();
  }
}

/** A reading as label sets with their values. */
export const samplesOf = <Label extends string>(
  reading: Reading<Label>,
): Iterable<readonly [labels: Labels<Label>, value: number]> =>
  typeof reading === 'number' ? [[{} as Labels<Label>, reading]] : reading;

/** A metric of the library's registry that shows histograms as they are read. */
export function histogramShown<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[],
  observed: Observed<HistogramReadings<Label>>,
) {
  const facts = { name, help, type: 'histogram' as MetricType, aggregator: 'sum' as const, labelNames };
  const get = async () => ({ ...facts, values: valuesOf(name, observed.read()) });
  return { ...facts, get };
}

const empty: HistogramReading = { bounds: [], counts: [0], sum: 0 };

function valuesOf<Label extends string>(name: string, readings: HistogramReadings<Label> | undefined) {
  const all =
    Symbol.iterator in (readings ?? empty)
      ? (readings as Iterable<readonly [object, HistogramReading]>)
      : [[{}, readings ?? empty] as const];
  return [...all].flatMap(([labels, reading]) => seriesOf(name, labels, reading as HistogramReading));
}

function seriesOf(name: string, labels: object, { bounds, counts, sum }: HistogramReading) {
  let count = 0;
  const buckets = counts.map((values, place) => {
    count += values;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[place] ?? '+Inf' }, value: count };
  });
  const total = (suffix: string, value: number) => ({ metricName: `${name}_${suffix}`, labels, value });
  return [...buckets, total('sum', sum), total('count', count)];
}
