/** In the long run `requests` in each window of `perMs` milliseconds, and no more than `burst` at once. */
interface BucketWindow {
  readonly requests: number;
  readonly perMs: number;
  readonly burst: number;
}

/** Sums of fractions of a millisecond are not exact. */
const tolerance = 1e-6;

/**
 * A bucket of tokens with several windows, all of which hold. What is kept of a window is one number, when it will be full again: so it fills
 * evenly, needs no timer, and what two know of one bucket can be joined. Times are milliseconds of one clock.
 * Source: the generic cell rate algorithm, ITU-T I.371.
 */
export class TokenBucket {
  readonly #windows: readonly BucketWindow[];
  readonly #fullAt: number[];

  constructor(windows: readonly BucketWindow[]) {
    this.#windows = windows;
    this.#fullAt = windows.map(() => Number.NEGATIVE_INFINITY);
  }

  /** How many can be taken now. */
  left(now: number): number {
    return Math.min(...this.#windows.map((window, at) => leftOf(window, this.#debt(at, now))));
  }

  /** Takes as many. Of what is not there it owes the rest, and has none until that has filled again. */
  take(now: number, tokens: number): void {
    this.#windows.forEach((window, at) => {
      this.#fullAt[at] = now + this.#debt(at, now) + tokens * intervalOf(window);
    });
  }

  /** Tokens that were taken and not used. */
  giveBack(tokens: number): void {
    this.#windows.forEach((window, at) => {
      this.#fullAt[at] = (this.#fullAt[at] ?? 0) - tokens * intervalOf(window);
    });
  }

  /** In how many milliseconds each window is full. */
  debts(now: number): number[] {
    return this.#windows.map((_, at) => this.#debt(at, now));
  }

  /** Another one knows of more that was taken. */
  owe(now: number, debts: readonly number[]): void {
    this.#windows.forEach((window, at) => {
      const debt = Math.min(debts[at] ?? 0, window.burst * intervalOf(window));
      if (debt > this.#debt(at, now)) this.#fullAt[at] = now + debt;
    });
  }

  /** How long until as many are there, if none is taken; infinite for more than it ever holds. */
  waitMs(now: number, tokens: number): number {
    const waits = this.#windows.map((window, at) => {
      const interval = intervalOf(window);
      const free = (window.burst - tokens) * interval;
      if (free < -tolerance) return Number.POSITIVE_INFINITY;
      const wait = this.#debt(at, now) - free;
      // As `left` has it, so that what is there is not waited for.
      return wait <= tolerance * interval ? 0 : wait;
    });
    return Math.max(0, ...waits);
  }

  isFull(now: number): boolean {
    return this.#fullAt.every((at) => at <= now);
  }

  #debt(at: number, now: number): number {
    return Math.max(0, (this.#fullAt[at] ?? 0) - now);
  }
}

/** Of one token, in milliseconds. */
const intervalOf = ({ requests, perMs }: BucketWindow): number => perMs / requests;

const leftOf = (window: BucketWindow, debt: number): number =>
  Math.max(0, Math.floor(window.burst - debt / intervalOf(window) + tolerance));
