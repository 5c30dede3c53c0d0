import { createHistogram, performance } from 'node:perf_hooks';
import { busyShare } from '../../std/index.ts';

/** What the looks need of time; tests hold it in their hand. */
export interface LoopTime {
  /** Milliseconds since some fixed moment. */
  now(): number;
  /** Calls back once; never keeps the process alive. */
  after(delayMs: number, callback: () => void): void;
  /** The share of the time since it was last asked in which the event loop was busy. */
  busyShare(): number;
}

/** How late the event loop was, in seconds, since the last reading; zeros when it was not looked at since. */
export interface LoopDelays {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Milliseconds between looks. Each look wakes the process, so one that rests is looked at less often. */
const everyMs = { working: 100, resting: 2000 };
/** Of the time between two looks; what a resting control plane stays below. */
const restingShare = 0.05;
const nsPerMs = 1e6;

/**
 * How late timers run, which is how long the event loop was held up. Node's own `monitorEventLoopDelay` wakes the process at a fixed rate,
 * which at ten times a second was a third of what an idle control plane took, and counts its own pause as delay.
 */
export class LoopDelay {
  readonly #time: LoopTime;
  readonly #delays = createHistogram();

  constructor(time: LoopTime = systemTime()) {
    this.#time = time;
    this.#lookIn(everyMs.resting);
  }

  /** Begins again with each reading. */
  read(): LoopDelays {
    const delays = this.#delays;
    const seconds = (ns: number) => (delays.count === 0 ? 0 : ns / 1e9);
    const read = {
      min: seconds(delays.min),
      max: seconds(delays.max),
      mean: seconds(delays.mean),
      stddev: seconds(delays.stddev),
      p50: seconds(delays.percentile(50)),
      p90: seconds(delays.percentile(90)),
      p99: seconds(delays.percentile(99)),
    };
    delays.reset();
    return read;
  }

  #lookIn(delayMs: number): void {
    const due = this.#time.now() + delayMs;
    this.#time.after(delayMs, () => {
      // A histogram takes whole numbers from 1.
      this.#delays.record(Math.max(1, Math.round((this.#time.now() - due) * nsPerMs)));
      this.#lookIn(this.#time.busyShare() < restingShare ? everyMs.resting : everyMs.working);
    });
  }
}

function systemTime(): LoopTime {
  return {
    now: () => performance.now(),
    after: (delayMs, callback) => void setTimeout(callback, delayMs).unref(),
    busyShare: busyShare(),
  };
}
