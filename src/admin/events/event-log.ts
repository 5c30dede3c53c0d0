import { randomBytes } from 'node:crypto';
import { Throttle } from '../../std/queue/index.ts';

export const eventTypes = ['snapshot', 'node', 'resource', 'problem', 'access'] as const;

export type EventType = (typeof eventTypes)[number];

/** What is only said to those who read now: that there is something new to ask for. It is not kept, so it pushes out no event. */
export const signalTypes = ['traffic'] as const;

export type SignalType = (typeof signalTypes)[number];

/** The newest signal of a type. `number` grows with each signal of any type. */
export interface Signal {
  readonly type: SignalType;
  readonly at: Date;
  readonly number: number;
}

/** Signals of one type are passed on this often at most, in milliseconds. */
const signalRestMs = 500;

/** What has happened. `id` is never given twice, also not by another replica or after a restart. */
export interface LoggedEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: Date;
  readonly data: object;
}

/** Called when there is something new; must return at once. */
export type Wake = () => void;

/** Where a reader stands: the number of the event that it reads next. */
export type Cursor = number;

/**
 * The newest events, in a ring: a reader that is too slow loses the oldest, and no other notices. Adding one costs the same
 * however many read, who are woken together at the end of the turn.
 */
export class EventLog {
  readonly #capacity: number;
  readonly #now: () => Date;
  readonly #epoch = randomBytes(6).toString('hex');
  readonly #ring: LoggedEvent[] = [];
  readonly #readers = new Set<Wake>();
  readonly #signals = new Map<SignalType, Signal>();
  readonly #throttles = new Map(
    signalTypes.map((type) => [type, new Throttle(signalRestMs, () => this.#pass(type))] as const),
  );
  #signalled = 0;
  #next: Cursor = 0;
  #waking = false;
  #closed = false;

  constructor({
    capacity = 4096,
    now = () => new Date(),
  }: { readonly capacity?: number; readonly now?: () => Date } = {}) {
    this.#capacity = capacity;
    this.#now = now;
  }

  /** How many read now. */
  get readers(): number {
    return this.#readers.size;
  }

  /** No more is added, and readers are to end. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Behind the newest event. */
  get end(): Cursor {
    return this.#next;
  }

  add(type: EventType, data: object): void {
    if (this.#closed) return;
    const id = `${this.#epoch}-${this.#next}`;
    this.#ring[this.#next % this.#capacity] = { id, type, at: this.#now(), data };
    this.#next += 1;
    this.#wake();
  }

  /** Says to those who read now that there is something new; the first at once, more of the same together. */
  signal(type: SignalType): void {
    if (!this.#closed) this.#throttles.get(type)?.fire();
  }

  /** The number of the newest signal. */
  get lastSignal(): number {
    return this.#signalled;
  }

  /** The newest signal of each type, of those with a larger number. */
  signalsAfter(number: number): readonly Signal[] {
    return [...this.#signals.values()].filter((signal) => signal.number > number);
  }

  close(): void {
    this.#closed = true;
    for (const throttle of this.#throttles.values()) throttle.stop();
    this.#wake();
  }

  /** Where a reader that has seen this event goes on; undefined when some of what came after it is lost, or it is none of ours. */
  after(id: string): Cursor | undefined {
    const [epoch, number = ''] = id.split('-');
    const cursor = Number(number) + 1;
    if (epoch !== this.#epoch || !/^\d{1,15}$/.test(number) || cursor > this.#next) return undefined;
    return this.isLost(cursor) ? undefined : cursor;
  }

  /** The event at this place has been overwritten. */
  isLost(cursor: Cursor): boolean {
    return cursor < this.#next - this.#capacity;
  }

  /** Undefined when it is lost, or has not happened yet. */
  at(cursor: Cursor): LoggedEvent | undefined {
    return this.isLost(cursor) || cursor >= this.#next ? undefined : this.#ring[cursor % this.#capacity];
  }

  /** The newest events, the last one first, and no more than `most`. */
  newest(most: number): readonly LoggedEvent[] {
    const found: LoggedEvent[] = [];
    for (let cursor = this.#next - 1; cursor >= 0 && found.length < most; cursor -= 1) {
      const event = this.at(cursor);
      if (event === undefined) break;
      found.push(event);
    }
    return found;
  }

  /** Gives what ends it. */
  subscribe(wake: Wake): () => void {
    this.#readers.add(wake);
    return () => this.#readers.delete(wake);
  }

  #pass(type: SignalType): void {
    this.#signalled += 1;
    this.#signals.set(type, { type, at: this.#now(), number: this.#signalled });
    this.#wake();
  }

  #wake(): void {
    if (this.#waking || this.#readers.size === 0) return;
    this.#waking = true;
    setImmediate(() => {
      this.#waking = false;
      for (const wake of this.#readers) wake();
    });
  }
}
