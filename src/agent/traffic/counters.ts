import {
  addSums,
  durationBounds,
  failureFlags,
  judged,
  noSums,
  type PickRow,
  type Sums,
  type TrafficRow,
  trafficLimits,
} from '../../contracts/index.ts';
import { type CounterName, readCounterName, readPickName } from './counter-names.ts';
import { PickSums } from './pick-sums.ts';

/** What changed of one listener, route and backend. */
interface Row extends Sums {
  readonly listener: string;
  readonly route: string;
  readonly backend: string;
}

/** One counter of Envoy's as it was last read. */
interface Series {
  value: number;
  /** Number of the reading that it was in. */
  reading: number;
  readonly add: (increase: number) => void;
}

const isFailureFlag = (flag: string): boolean => (failureFlags as readonly string[]).includes(flag);

/**
 * How far Envoy's counters of traffic have come between two readings, by listener, route and backend. What a counter is for is read from its name
 * once. A counter that Envoy let go is forgotten, and begins at 0 when it is back; so do all of them with another Envoy.
 */
export class Counters {
  readonly #series = new Map<string, Series>();
  #reading = 0;
  #envoy: unknown;
  #rows = new Map<string, Row>();
  readonly #picks = new PickSums();

  get size(): number {
    return this.#series.size;
  }

  /** Begins a reading. `envoy`: differs for another process. */
  begin(envoy: unknown): void {
    this.#reading += 1;
    if (envoy !== this.#envoy) this.#series.clear();
    this.#envoy = envoy;
  }

  /** Takes a counter as Envoy has it now. */
  take(name: string, value: number): void {
    const series = this.#series.get(name) ?? this.#newSeries(name);
    if (series === undefined) return;
    const increase = value < series.value ? value : value - series.value;
    series.value = value;
    series.reading = this.#reading;
    if (increase > 0) series.add(increase);
  }

  /** Ends a reading that brought all counters: those that it did not bring are gone. */
  end(): void {
    for (const [name, { reading }] of this.#series) if (reading !== this.#reading) this.#series.delete(name);
  }

  /** What changed since it was last drained. Above `mostRows` the busiest are counted apart, and the rest is one row without names. */
  drain(mostRows: number = trafficLimits.rowsAtOnce): TrafficRow[] {
    const rows = [...this.#rows.values()];
    this.#rows = new Map();
    if (rows.length <= mostRows) return rows.map(encoded);
    rows.sort((a, b) => b.requests - a.requests);
    const other = newRow({ listener: '', route: '', backend: '' });
    for (const row of rows.splice(mostRows - 1)) addSums(other, row);
    return [...rows, other].map(encoded);
  }

  /** What became of picks since these were last drained. */
  drainPicks(): PickRow[] {
    return this.#picks.drain();
  }

  #newSeries(name: string): Series | undefined {
    const pick = readPickName(name);
    const add = pick ? (increase: number) => this.#picks.add(pick, increase) : this.#rowAdder(name);
    if (add === undefined) return undefined;
    const series: Series = { value: 0, reading: 0, add };
    this.#series.set(name, series);
    return series;
  }

  #rowAdder(name: string): Series['add'] | undefined {
    const read = readCounterName(name);
    if (read === undefined) return undefined;
    const add = adder(read);
    if (add === undefined) return undefined;
    const { listener, backend } = read;
    const route = ruleOf(read.route);
    const key = `${listener}\n${route}\n${backend}`;
    return (increase) => add(this.#rowOf(key, { listener, route, backend }), increase);
  }

  #rowOf(key: string, name: RowName): Row {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = newRow(name);
    this.#rows.set(key, row);
    return row;
  }
}

/** All matches of a rule together. */
const ruleOf = (route: string): string => route.replace(/\/match\/\d+$/, '');

type RowName = Pick<CounterName, 'listener' | 'route' | 'backend'>;

const newRow = ({ listener, route, backend }: RowName): Row => ({
  listener,
  route,
  backend,
  ...noSums(),
});

function adder({ stat, status = 0, flags = [] }: CounterName): ((row: Row, increase: number) => void) | undefined {
  if (stat === 'ms')
    return (row, increase) => {
      row.ms += increase;
    };
  if (stat !== 'rq') {
    const step = durationBounds.findIndex((bound) => stat === `ge${bound}`);
    if (step === -1) return undefined;
    return (row, increase) => addAt(row.slower, step, increase);
  }
  const { failed, error } = judged(status, flags, isFailureFlag);
  const place = status >= 100 && status < 600 ? Math.floor(status / 100) : 0;
  return (row, increase) => {
    row.requests += increase;
    if (failed) row.failed += increase;
    if (error) row.errors += increase;
    addAt(row.classes, place, increase);
    for (const flag of flags) row.flags[flag] = (row.flags[flag] ?? 0) + increase;
  };
}

function addAt(list: number[], at: number, increase: number): void {
  list[at] = (list[at] ?? 0) + increase;
}

const encoded = (row: Row): TrafficRow => [
  row.listener,
  row.route,
  row.backend,
  row.requests,
  row.failed,
  row.errors,
  row.classes,
  row.ms,
  row.slower,
  row.flags,
];
