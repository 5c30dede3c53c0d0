export interface BackoffOptions {
  /** First wait; doubles up to `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** A number in [0, 1); Math.random unless a test needs to know. */
  readonly random?: () => number;
}

/**
 * Growing waits with jitter: each is between half of the nominal wait and all of it, so that many watches that broke together do not
 * come back together.
 */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** The next wait in milliseconds, at least what the server asked for. */
  next(atLeastMs = 0): number {
    const { baseMs, maxMs, random = Math.random } = this.#options;
    const nominal = Math.min(maxMs, baseMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return Math.max(atLeastMs, nominal / 2 + (nominal / 2) * random());
  }

  /** Something worked: the next failure waits shortly again. */
  reset(): void {
    this.#failures = 0;
  }
}
