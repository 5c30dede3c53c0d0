/** What anything timed takes, so that tests can hold the time in their hand. */
export interface Clock {
  /** Milliseconds since some fixed moment. */
  now(): number;
  /** Calls back once after `delayMs`; the returned function takes it back. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
