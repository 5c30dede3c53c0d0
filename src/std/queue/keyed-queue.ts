import { type Clock, systemClock } from './clock.ts';
import { Line } from './line.ts';
import { retryMs } from './retry.ts';

export interface KeyedQueueOptions {
  /**
   * Brings the key to its desired state once, with whatever is newest when it is called. When it throws, it is called
   * again after a backoff. The signal is aborted when the queue stops and the work outlasts its grace.
   */
  readonly work: (key: string, signal: AbortSignal) => Promise<void>;
  /** Called for every failed attempt. `failures` counts those in a row. */
  readonly onError?: (key: string, error: unknown, failures: number) => void;
  /** How many keys are worked on at the same time. */
  readonly concurrency: number;
  /** While false nothing starts; call `resume` when it turns true. */
  readonly isOpen?: () => boolean;
  /** Least time between two starts of one key, so that a storm of changes becomes one write; asked again whenever the key is added. Default 0. */
  readonly intervalMs?: (key: string) => number;
  /** Keys that overtake the others. */
  readonly isUrgent?: (key: string) => boolean;
  readonly clock?: Clock;
  readonly random?: () => number;
}

interface Entry {
  /** Asked for again while waiting or in progress. */
  dirty: boolean;
  running: boolean;
  failures: number;
  startedAt: number;
  cancelTimer: (() => void) | undefined;
}

/**
 * Work by key. A key is worked on by one at a time, and asking for a key ten times while it waits is one piece of work:
 * the newest request wins and the number of waiting keys is bounded by the number of keys.
 *
 * A key is in one of these states: absent; ready (in one of the two lines); waiting (a timer: pace or backoff);
 * running. `add` moves absent to ready or waiting, and makes a running key come back afterwards.
 */
export class KeyedQueue {
  readonly #options: KeyedQueueOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #urgent = new Line();
  readonly #ready = new Line();
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #stopped = false;
  #waiters: (() => void)[] = [];

  constructor(options: KeyedQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Asks for the key to be worked on: at once, or when its pace or the backoff of its last failure allows. */
  add(key: string): void {
    if (this.#stopped) return;
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      entry.dirty = true; // it stands in line, runs or waits for its timer, and each of these ends by looking here
      // What it waits for now may not have to wait for as long as what it had been asked for.
      if (entry.cancelTimer && entry.failures === 0) {
        this.#schedule(key, entry, this.#paceMs(key, entry));
        this.#pump();
      }
      return;
    }
    this.#entries.set(key, { dirty: true, running: false, failures: 0, startedAt: -Infinity, cancelTimer: undefined });
    this.#line(key).add(key);
    this.#pump();
  }

  /** To be called when `isOpen` turned true. */
  resume(): void {
    this.#pump();
  }

  /** Keys that wait or are in progress. */
  get size(): number {
    return this.#entries.size;
  }

  /** Resolves when nothing waits and nothing is in progress. */
  settled(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Starts nothing more and resolves when all that is in progress has ended; after `graceMs` it is aborted. */
  async stop(graceMs = 2000): Promise<void> {
    this.#stopped = true;
    for (const entry of this.#entries.values()) entry.cancelTimer?.();
    this.#ready.clear();
    this.#urgent.clear();
    const cancel = this.#clock.after(graceMs, () => this.#abort.abort());
    await Promise.all(this.#running);
    cancel();
    this.#entries.clear();
    this.#wake();
  }

  #line(key: string): Line {
    return this.#options.isUrgent?.(key) ? this.#urgent : this.#ready;
  }

  #isIdle(): boolean {
    for (const entry of this.#entries.values()) if (entry.dirty || entry.running) return false;
    return true;
  }

  #pump(): void {
    while (!this.#stopped && this.#running.size < this.#options.concurrency && (this.#options.isOpen?.() ?? true)) {
      const key = this.#urgent.take() ?? this.#ready.take();
      if (key === undefined) return;
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.#start(key, entry);
    }
  }

  #start(key: string, entry: Entry): void {
    entry.dirty = false;
    entry.running = true;
    entry.startedAt = this.#clock.now();
    const run = this.#attempt(key, entry).finally(() => {
      this.#running.delete(run);
      entry.running = false;
      this.#finish(key, entry);
      this.#pump();
    });
    this.#running.add(run);
  }

  async #attempt(key: string, entry: Entry): Promise<void> {
    try {
      await this.#options.work(key, this.#abort.signal);
      entry.failures = 0;
    } catch (error) {
      entry.failures += 1;
      if (!this.#stopped) this.#options.onError?.(key, error, entry.failures);
    }
  }

  #finish(key: string, entry: Entry): void {
    if (this.#stopped) return;
    if (entry.failures > 0) {
      entry.dirty = true;
      this.#schedule(key, entry, retryMs(entry.failures, this.#options.random));
    } else if (entry.dirty || this.#paceMs(key, entry) > 0) {
      // Without a request the entry stays until its interval is over, for that is where the time of its start is kept.
      this.#schedule(key, entry, this.#paceMs(key, entry));
    } else {
      this.#entries.delete(key);
    }
    if (this.#waiters.length > 0 && this.#isIdle()) this.#wake();
  }

  #paceMs(key: string, entry: Entry): number {
    return Math.max(0, entry.startedAt + (this.#options.intervalMs?.(key) ?? 0) - this.#clock.now());
  }

  #schedule(key: string, entry: Entry, delayMs: number): void {
    entry.cancelTimer?.();
    entry.cancelTimer = undefined;
    if (delayMs <= 0) {
      this.#line(key).add(key);
      return;
    }
    entry.cancelTimer = this.#clock.after(delayMs, () => {
      entry.cancelTimer = undefined;
      if (entry.dirty) this.#line(key).add(key);
      else this.#entries.delete(key);
      this.#pump();
    });
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
