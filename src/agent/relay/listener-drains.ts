/** Envoy does not report the end of a drain. It is due a drain time after its beginning; this much earlier, since clocks and looks are not exact. */
const earlyMs = 250;
/** What is destroyed at the end of a drain is gone when every worker has been through its loop once more. */
export const goneMs = 500;
/** A drain that has not ended by then does not hold back lists any longer. */
export const overdueMs = 5000;

interface Drain {
  /** It began between these two moments. */
  readonly from: number;
  readonly to: number;
}

/**
 * When listeners and filter chains that Envoy drains come to their end, from how many there are: Envoy does not say when each began. All
 * moments are in milliseconds of one clock.
 */
export class ListenerDrains {
  readonly #drains: Drain[] = [];
  #lookedAt: number;
  #endedAt = Number.NEGATIVE_INFINITY;

  /** `now`: nothing drains yet. */
  constructor(now: number) {
    this.#lookedAt = now;
  }

  /** Nothing drained until `now`, without a look. */
  idleUntil(now: number): void {
    if (this.#drains.length === 0) this.#lookedAt = now;
  }

  /** Envoy has said how many drain: `listener_manager.total_listeners_draining` and `total_filter_chains_draining`. */
  seen(draining: number, now: number, drainTimeMs: number): void {
    const drains = this.#drains;
    while (drains.length > draining) {
      drains.shift();
      this.#endedAt = now;
    }
    const [oldest] = drains;
    // It has ended, and another has begun between two looks.
    if (oldest && now > oldest.to + drainTimeMs + overdueMs) {
      drains.shift();
      drains.push({ from: oldest.from + drainTimeMs, to: now });
    }
    while (drains.length < draining) drains.push({ from: this.#lookedAt, to: now });
    this.#lookedAt = now;
  }

  /** One may end about now, or has just ended. */
  endsAbout(now: number, drainTimeMs: number): boolean {
    const isDue = ({ from, to }: Drain) => now >= from + drainTimeMs - earlyMs && now <= to + drainTimeMs + overdueMs;
    return now < this.#endedAt + goneMs || this.#drains.some(isDue);
  }
}
