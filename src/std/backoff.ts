export interface BackoffOptions {
  /** The first wait; it doubles up to `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** A number in [0, 1); Math.random unless a test needs to know. */
  readonly random?: () => number;
}

/**
 * How long to wait after so many failures in a row: between half of a nominal wait and all of it, so that what failed together does not
 * come back together, and yet nothing comes back at once.
 */
export function backoffMs(failures: number, { baseMs, maxMs, random = Math.random }: BackoffOptions): number {
  const nominal = Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(0, failures - 1), 30));
  return nominal / 2 + (nominal / 2) * random();
}

/** Growing waits, with the failures counted. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** The next wait in milliseconds, at least what the server asked for. */
  next(atLeastMs = 0): number {
    this.#failures += 1;
    return Math.max(atLeastMs, backoffMs(this.#failures, this.#options));
  }

  /** Something worked: the next failure waits shortly again. */
  reset(): void {
    this.#failures = 0;
  }
}
