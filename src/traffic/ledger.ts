import type { Sums } from '../contracts/index.ts';
import { Frame } from './frame.ts';
import { otherName, type Subject, Subjects } from './subjects.ts';

const second = 1000;
const minute = 60 * second;

/** How long one frame is, and how many of them are kept. */
interface Scale {
  readonly stepMs: number;
  readonly kept: number;
}

/** The last minute in steps of 10 s, a quarter of an hour by minute, a day by 5 minutes. */
const fine: Scale = { stepMs: 10 * second, kept: 7 };
const middle: Scale = { stepMs: minute, kept: 16 };
const coarse: Scale = { stepMs: 5 * minute, kept: 288 };

/** Subjects at once: more go by one name. With all of them active in every frame, some 60 MB. */
const mostSubjects = 25_000;
/** Subjects of a frame of 5 minutes: the busiest; the rest is summed up by listener. */
const mostCoarse = 500;

/** Counts over time. What is older is kept in longer steps; what is older than a day is forgotten. */
export class Ledger {
  readonly #subjects: Subjects;
  readonly #fine = new Map<number, Frame>();
  readonly #middle = new Map<number, Frame>();
  readonly #coarse = new Map<number, Frame>();
  #overflowedAt = Number.NEGATIVE_INFINITY;
  /** The step of the clock in which frames were ended last: a report has thousands of rows. */
  #rolledAt = -1;

  constructor(most: number = mostSubjects) {
    this.#subjects = new Subjects(most);
  }

  /** When subjects were last put together because there were too many; never is -Infinity. */
  get overflowedAt(): number {
    return this.#overflowedAt;
  }

  get bytes(): number {
    const frames = [...this.#fine.values(), ...this.#middle.values(), ...this.#coarse.values()];
    return frames.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Counts for a time, which is not after `now`. What is older than a quarter of an hour is not taken. */
  add(subject: Subject, sums: Sums, at: number, now: number): void {
    this.roll(now);
    if (at < now - (middle.kept - 1) * middle.stepMs) return;
    const number = this.#numberOf(subject, now);
    if (at >= now - (fine.kept - 1) * fine.stepMs) frameOf(this.#fine, fine, at, this.#subjects).add(number, sums);
    frameOf(this.#middle, middle, at, this.#subjects).add(number, sums);
  }

  /** Ends frames that are too old, and puts minutes together. */
  roll(now: number): void {
    const step = Math.floor(now / fine.stepMs);
    if (step === this.#rolledAt) return;
    this.#rolledAt = step;
    drop(this.#fine, now - fine.kept * fine.stepMs);
    drop(this.#coarse, now - coarse.kept * coarse.stepMs);
    const before = floorTo(now, middle.stepMs) - (middle.kept - 1) * middle.stepMs;
    const over = [...this.#middle.values()].filter(({ start }) => start < before);
    for (const frame of over) {
      this.#fold(frame);
      this.#middle.delete(frame.start);
      frame.end();
    }
  }

  /** The finest step that there is for a window of this length. */
  stepOf(windowMs: number): number {
    return [fine, middle].find(({ stepMs, kept }) => windowMs <= (kept - 1) * stepMs)?.stepMs ?? coarse.stepMs;
  }

  /** The frames of a window, and when the first of them begins. */
  window(windowMs: number, now: number): { readonly from: number; readonly frames: readonly Frame[] } {
    this.roll(now);
    const stepMs = this.stepOf(windowMs);
    const from = floorTo(now - windowMs, stepMs) + (stepMs === fine.stepMs ? stepMs : 0);
    const source =
      stepMs === fine.stepMs ? [this.#fine] : stepMs === middle.stepMs ? [this.#middle] : [this.#coarse, this.#middle];
    const frames = source.flatMap((some) => [...some.values()]).filter(({ start }) => start >= from);
    return { from, frames };
  }

  subjectOf(number: number): Subject {
    return this.#subjects.subjectOf(number);
  }

  #numberOf(subject: Subject, now: number): number {
    const number = this.#subjects.numberOf(subject);
    if (number !== undefined) return number;
    this.#overflowedAt = now;
    return this.#subjects.numberAlways({ fleet: subject.fleet, listener: '', route: otherName, backend: '' });
  }

  /** Into the five minutes that it is of. */
  #fold(frame: Frame): void {
    const into = frameOf(this.#coarse, coarse, frame.start, this.#subjects);
    const all = [...frame.subjects()].map((number) => ({ number, requests: frame.pointOf(number)[0] }));
    all.sort((a, b) => b.requests - a.requests);
    const room = Math.max(0, mostCoarse - into.size);
    const known = new Set(into.subjects());
    let added = 0;
    for (const { number } of all) {
      const isApart = known.has(number) || added < room;
      if (isApart && !known.has(number)) added += 1;
      const { fleet, listener } = this.#subjects.subjectOf(number);
      const kept = isApart ? number : this.#subjects.numberAlways({ fleet, listener, route: otherName, backend: '' });
      into.add(kept, frame.sumsOf(number));
    }
  }
}

const floorTo = (ms: number, step: number): number => Math.floor(ms / step) * step;

function frameOf(frames: Map<number, Frame>, { stepMs }: Scale, at: number, subjects: Subjects): Frame {
  const start = floorTo(at, stepMs);
  const known = frames.get(start);
  if (known !== undefined) return known;
  const frame = new Frame(start, subjects);
  frames.set(start, frame);
  return frame;
}

function drop(frames: Map<number, Frame>, before: number): void {
  for (const [start, frame] of frames) {
    if (start >= before) continue;
    frames.delete(start);
    frame.end();
  }
}
