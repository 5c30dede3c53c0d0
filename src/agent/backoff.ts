export interface BackoffOptions {
  /** The first wait, in milliseconds. */
  readonly baseMs: number;
  /** The longest wait, in milliseconds. */
  readonly maxMs: number;
  /** How much longer each wait is than the one before; 2 by default. */
  readonly factor?: number;
  /** A number from 0 to 1, `Math.random` by default. */
  readonly random?: () => number;
}

/**
 * Exponential backoff with jitter. Each wait is between half and all of its step, so that agents which lost the same
 * control plane at the same moment do not come back at the same moment, and yet none comes back at once.
 */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  #step = 0;

  constructor(options: BackoffOptions) {
    this.#options = { factor: 2, random: Math.random, ...options };
  }

  /** The next wait in milliseconds; each call takes one step. */
  next(): number {
    const { baseMs, maxMs, factor, random } = this.#options;
    const step = Math.min(maxMs, baseMs * factor ** this.#step);
    if (step < maxMs) this.#step += 1;
    return step / 2 + (step / 2) * random();
  }

  /** Starts over with the first step: what was waited for has worked for a while. */
  reset(): void {
    this.#step = 0;
  }
}
