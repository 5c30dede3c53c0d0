import { Backoff } from '../std/index.ts';

const firstMs = 1_000;

/**
 * When to look again for a kind that an API server does not serve, or for a missing right. In the long run all such looks of a process come together:
 * they wake it once, and a look beside others costs a fraction of one by itself.
 */
export class Looks {
  readonly #maxMs: number;
  readonly #backoff: Backoff;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
    this.#backoff = new Backoff({ baseMs: Math.min(firstMs, maxMs), maxMs });
  }

  /** Milliseconds, at least what the server asked for. */
  next(atLeastMs = 0): number {
    const waitMs = this.#backoff.next();
    // Processes began at different times, so their looks are spread.
    const untilCommonMs = this.#maxMs - (performance.now() % this.#maxMs);
    return Math.max(atLeastMs, waitMs > this.#maxMs / 2 ? untilCommonMs : waitMs);
  }

  reset(): void {
    this.#backoff.reset();
  }
}
