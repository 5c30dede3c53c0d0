import type { Clock } from '../../src/std/queue/index.ts';

/** A clock that stands still until it is moved. */
export class HandClock implements Clock {
  #now = 0;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = () => callback();
    this.#timers.set(timer, this.#now + delayMs);
    return () => this.#timers.delete(timer);
  }

  /** Moves on, and calls whatever has become due. */
  move(ms: number): void {
    this.#now += ms;
    for (const [timer, due] of [...this.#timers]) {
      if (due > this.#now) continue;
      this.#timers.delete(timer);
      timer();
    }
  }

  /** Moves on with every timer late, as in a process that was stopped for a while. */
  skip(ms: number): void {
    this.#now += ms;
  }
}
