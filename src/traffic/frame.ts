import { durationBounds, noSums, type Sums } from '../contracts/index.ts';
import type { Subjects } from './subjects.ts';

const classes = 6;
const fixed = 3;
/** Numbers of one subject: requests, failed, errors, classes, slower. */
const width = fixed + classes + durationBounds.length;
const largest = 2 ** 32 - 1;
const firstRows = 64;

/**
 * Counts of one time, by number of subject. Columns of numbers, for there are dozens of these with up to 25,000 subjects each: as objects they would take ten
 * times the memory.
 */
export class Frame {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly #subjects: Subjects;
  readonly #rows = new Map<number, number>();
  #counts = new Uint32Array(firstRows * width);
  #ms = new Float64Array(firstRows);
  readonly #flags = new Map<number, Record<string, number>>();

  constructor(start: number, subjects: Subjects) {
    this.start = start;
    this.#subjects = subjects;
  }

  get size(): number {
    return this.#rows.size;
  }

  get bytes(): number {
    return this.#counts.byteLength + this.#ms.byteLength + this.#rows.size * 40;
  }

  add(subject: number, sums: Sums): void {
    const row = this.#rowOf(subject);
    const from = row * width;
    this.#increase(from, sums.requests);
    this.#increase(from + 1, sums.failed);
    this.#increase(from + 2, sums.errors);
    for (let at = 0; at < classes; at += 1) this.#increase(from + fixed + at, sums.classes[at] ?? 0);
    for (let at = 0; at < durationBounds.length; at += 1)
      this.#increase(from + fixed + classes + at, sums.slower[at] ?? 0);
    this.#ms[row] = (this.#ms[row] ?? 0) + sums.ms;
    this.#addFlags(row, sums.flags);
  }

  /** Adds what the frame has of the subject. */
  addTo(to: Sums, subject: number): void {
    const row = this.#rows.get(subject);
    if (row === undefined) return;
    const counts = this.#counts;
    let place = row * width;
    to.requests += counts[place] ?? 0;
    to.failed += counts[place + 1] ?? 0;
    to.errors += counts[place + 2] ?? 0;
    place += fixed;
    for (let at = 0; at < classes; at += 1) to.classes[at] = (to.classes[at] ?? 0) + (counts[place + at] ?? 0);
    place += classes;
    for (let at = 0; at < durationBounds.length; at += 1)
      to.slower[at] = (to.slower[at] ?? 0) + (counts[place + at] ?? 0);
    to.ms += this.#ms[row] ?? 0;
    const flags = this.#flags.get(row);
    if (flags === undefined) return;
    for (const [flag, number] of Object.entries(flags)) to.flags[flag] = (to.flags[flag] ?? 0) + number;
  }

  sumsOf(subject: number): Sums {
    const sums = noSums();
    this.addTo(sums, subject);
    return sums;
  }

  /** Requests and errors of the subject alone. */
  pointOf(subject: number): readonly [requests: number, errors: number] {
    const row = this.#rows.get(subject);
    if (row === undefined) return [0, 0];
    return [this.#counts[row * width] ?? 0, this.#counts[row * width + 2] ?? 0];
  }

  subjects(): Iterable<number> {
    return this.#rows.keys();
  }

  /** Lets go of its subjects. */
  end(): void {
    for (const subject of this.#rows.keys()) this.#subjects.release(subject);
    this.#rows.clear();
  }

  #increase(place: number, by: number): void {
    if (by > 0) this.#counts[place] = Math.min(largest, (this.#counts[place] ?? 0) + by);
  }

  #rowOf(subject: number): number {
    const known = this.#rows.get(subject);
    if (known !== undefined) return known;
    const row = this.#rows.size;
    this.#rows.set(subject, row);
    this.#subjects.use(subject);
    if (row >= this.#ms.length) this.#grow();
    return row;
  }

  #grow(): void {
    const rows = this.#ms.length * 2;
    const counts = new Uint32Array(rows * width);
    counts.set(this.#counts);
    this.#counts = counts;
    const ms = new Float64Array(rows);
    ms.set(this.#ms);
    this.#ms = ms;
  }

  #addFlags(row: number, flags: Readonly<Record<string, number>>): void {
    for (const [flag, count] of Object.entries(flags)) {
      const known = this.#flags.get(row) ?? {};
      known[flag] = (known[flag] ?? 0) + count;
      this.#flags.set(row, known);
    }
  }
}
