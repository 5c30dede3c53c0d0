import { setTimeout as delay } from 'node:timers/promises';

/** What was waited for did not come in time. That is a result of who was waited for, and no failure of the bench. */
export class OutOfPatience extends Error {
  /** What was waited for. */
  readonly what: string;
  /** How long, and how far it had come by then. */
  readonly found: string;

  constructor(what: string, found: string) {
    super(`${what}: ${found}`);
    this.what = what;
    this.found = found;
  }
}

/** How long a bench waits for one thing. */
export class Patience {
  readonly #minutes: number;

  constructor(minutes: number) {
    this.#minutes = minutes;
  }

  /** Starts the clock. The returned function throws OutOfPatience as soon as time is up; its parameter says how far things are. */
  begin(what: string): (seen?: string) => void {
    const end = performance.now() + this.#minutes * 60_000;
    return (seen) => {
      if (performance.now() < end) return;
      throw new OutOfPatience(what, `not within ${this.#minutes} min${seen === undefined ? '' : `: ${seen}`}`);
    };
  }

  /** Asks every millisecond until the answer is yes. */
  async until(what: string, ask: () => Promise<boolean>): Promise<void> {
    const check = this.begin(what);
    while (!(await ask())) {
      check();
      await delay(leastPauseMs);
    }
  }

  /**
   * Counts until there are as many; an error counts as none so far. Counting lists objects, which costs the API server too: it takes no more
   * than half of the time.
   */
  async untilAll(what: string, total: number, noun: string, count: () => Promise<number>): Promise<void> {
    const check = this.begin(what);
    for (;;) {
      const began = performance.now();
      const seen = await count().catch(() => 0);
      if (seen >= total) return;
      check(`${seen.toLocaleString('en')} of ${total.toLocaleString('en')} ${noun}`);
      await delay(Math.max(leastPauseMs, performance.now() - began));
    }
  }
}

const leastPauseMs = 1;
