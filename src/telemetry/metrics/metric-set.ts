import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { LoopDelay, type LoopDelays } from './event-loop.ts';
import { durationBuckets, prefix } from './names.ts';
import { type HistogramReadings, histogramShown, type Labels, Observed, type Reading, samplesOf } from './observed.ts';

/** What a listener for scrapes needs. */
export interface MetricsText {
  /** The Prometheus text exposition. */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface MetricOptions<Label extends string> {
  /** One sentence in plain English: what is counted, and in which unit. */
  readonly help: string;
  readonly labels?: readonly Label[];
  /** Series that exist before anything happened, at 0, so that a rate sees their first increase. */
  readonly initial?: readonly Labels<Label>[];
  /** The name belongs to a standard, such as OpenTelemetry's conventions, and gets no prefix. */
  readonly standard?: boolean;
}

/** What a metric is, as documents show it. */
export interface MetricFacts {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labels: readonly string[];
  readonly help: string;
}

/** A gauge whose labels the compiler need not know. */
type AnyGauge = Pick<Gauge<string>, 'set' | 'reset'> & { collect?: () => void };

/**
 * How often, in ms, the library samples the event loop. The defaults are 100 and 10, which alone keep an idle process at a tenth of a core.
 * The second is for delays, which `LoopDelay` measures: 24 days are never over.
 */
const sampling = { eventLoopUtilizationTimeout: 10_000, eventLoopMonitoringPrecision: 2 ** 31 - 1 };

/** The library's names and words for what `LoopDelay` measures. */
const loopDelays: readonly (readonly [keyof LoopDelays, string])[] = [
  ['min', 'The minimum recorded event loop delay.'],
  ['max', 'The maximum recorded event loop delay.'],
  ['mean', 'The mean of the recorded event loop delays.'],
  ['stddev', 'The standard deviation of the recorded event loop delays.'],
  ['p50', 'The 50th percentile of the recorded event loop delays.'],
  ['p90', 'The 90th percentile of the recorded event loop delays.'],
  ['p99', 'The 99th percentile of the recorded event loop delays.'],
];

/**
 * All metrics of one process, or of one part of it that is scraped alone. A room declares its metrics here, once, in a function that takes the
 * set; names get the prefix `gatewright_`, and a name can be declared once.
 */
export class MetricSet implements MetricsText {
  /** With the metrics of the process, from when a set has asked for them. */
  static #ofProcess: MetricSet | undefined;
  readonly #registry = new Registry();

  counter<Label extends string = never>(name: string, options: MetricOptions<Label>): Counter<Label> {
    const counter: Counter<string> = new Counter(this.#configuration(name, options));
    for (const labels of options.initial ?? []) counter.inc(labels, 0);
    return counter;
  }

  gauge<Label extends string = never>(name: string, options: MetricOptions<Label>): Gauge<Label> {
    const gauge = new Gauge<Label>(this.#configuration(name, options));
    const any: AnyGauge = gauge;
    for (const labels of options.initial ?? []) any.set(labels, 0);
    return gauge;
  }

  /** Of seconds, unless it has buckets of its own. */
  histogram<Label extends string = never>(
    name: string,
    options: MetricOptions<Label> & { readonly buckets?: readonly number[] },
  ): Histogram<Label> {
    const { buckets = durationBuckets } = options;
    return new Histogram<Label>({ ...this.#configuration(name, options), buckets: [...buckets] });
  }

  /** A counter that another part of the program counts. */
  observedCounter<Label extends string = never>(name: string, options: MetricOptions<Label>): Observed<Reading<Label>> {
    const counter: Counter<string> = this.counter(name, options);
    return this.#observed(counter, (labels, value) => counter.inc(labels, value));
  }

  /** A gauge of what is so at the time of a scrape. */
  observedGauge<Label extends string = never>(name: string, options: MetricOptions<Label>): Observed<Reading<Label>> {
    const gauge: AnyGauge = this.gauge(name, options);
    return this.#observed(gauge, (labels, value) => gauge.set(labels, value));
  }

  /** A histogram that another part of the program keeps. */
  observedHistogram<Label extends string = never>(
    name: string,
    { help, labels = [] }: Pick<MetricOptions<Label>, 'help' | 'labels'>,
  ): Observed<HistogramReadings<Label>> {
    const observed = new Observed<HistogramReadings<Label>>();
    const shown = histogramShown(prefix + name, help, labels, observed);
    // The registry asks a metric for no more than what this has.
    this.#registry.registerMetric(shown as unknown as Histogram);
    return observed;
  }

  /**
   * Adds CPU, memory, file descriptors and event loop of the process. Timers and observers sample them, which never keep a process alive, and never
   * end: so all sets of a process share one of each, and a scrape of any of them begins again what counts since the last one.
   */
  observeProcess(): void {
    MetricSet.#ofProcess ??= MetricSet.#observing();
    const registry = MetricSet.#ofProcess.#registry;
    for (const { name } of registry.getMetricsAsArray()) {
      const metric = registry.getSingleMetric(name);
      if (metric) this.#registry.registerMetric(metric);
    }
  }

  static #observing(): MetricSet {
    const set = new MetricSet();
    collectDefaultMetrics({ register: set.#registry, prefix, ...sampling });
    set.#observeLoop(new LoopDelay());
    return set;
  }

  /** Every metric that was declared, in that order. */
  list(): MetricFacts[] {
    const all = this.#registry.getMetricsAsArray() as readonly (Omit<MetricFacts, 'labels'> & {
      readonly labelNames?: readonly string[];
    })[];
    return all.map(({ name, type, help, labelNames = [] }) => ({ name, type, labels: labelNames, help }));
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #observeLoop(loop: LoopDelay): void {
    const gauges = loopDelays.map(([part, help]) => {
      const name = `nodejs_eventloop_lag_${part}_seconds`;
      this.#registry.removeSingleMetric(prefix + name);
      return { part, gauge: this.gauge(name, { help }) as AnyGauge };
    });
    const [first] = gauges;
    if (!first) return;
    // All of a scrape are of one reading; the registry asks in this order.
    first.gauge.collect = () => {
      const read = loop.read();
      for (const { part, gauge } of gauges) gauge.set({}, read[part]);
    };
  }

  #observed<Label extends string>(
    metric: { collect?: () => void; reset(): void },
    add: (labels: Labels<Label>, value: number) => void,
  ): Observed<Reading<Label>> {
    const observed = new Observed<Reading<Label>>();
    metric.collect = () => {
      const reading = observed.read();
      if (reading === undefined) return;
      metric.reset();
      for (const [labels, value] of samplesOf<Label>(reading)) add(labels, value);
    };
    return observed;
  }

  #configuration<Label extends string>(name: string, { help, labels = [], standard = false }: MetricOptions<Label>) {
    return { name: standard ? name : prefix + name, help, labelNames: labels, registers: [this.#registry] };
  }
}
