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

  /** Full, or as another one had it that is full again in so many milliseconds, by window: it may owe more than it ever holds. */
  constructor(windows: readonly BucketWindow[], known?: { readonly now: number; readonly debts: readonly number[] }) {
    this.#windows = windows;
    this.#fullAt = windows.map((_, at) => (known ? known.now + (known.debts[at] ?? 0) : Number.NEGATIVE_INFINITY));
  }

  /** How many can be taken now. */
  left(now: number): number {
    let left = Number.POSITIVE_INFINITY;
    for (let at = 0; at < this.#windows.length; at += 1)
      left = Math.min(left, leftOf(this.#windows[at]!, this.#debt(at, now)));
    return left;
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

  /** Another one says that more was taken: it is believed as far as there was something to take. */
  owe(now: number, debts: readonly number[]): void {
    this.#windows.forEach((window, at) => {
      const debt = Math.min(debts[at] ?? 0, window.burst * intervalOf(window));
      if (debt > this.#debt(at, now)) this.#fullAt[at] = now + debt;
    });
  }

  /** How long until as many are there, if none is taken; infinite for more than it ever holds. */
  waitMs(now: number, tokens: number): number {
    let longest = 0;
    for (let at = 0; at < this.#windows.length; at += 1) {
      const window = this.#windows[at]!;
      longest = Math.max(longest, waitOf(window, this.#debt(at, now), tokens));
    }
    return longest;
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

function waitOf(window: BucketWindow, debt: number, tokens: number): number {
  const interval = intervalOf(window);
  const free = (window.burst - tokens) * interval;
  if (free < -tolerance) return Number.POSITIVE_INFINITY;
  const wait = debt - free;
  // As `left` has it, so that what is there is not waited for.
  return wait <= tolerance * interval ? 0 : wait;
}
