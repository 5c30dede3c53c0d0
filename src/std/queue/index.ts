/** Paced, keyed work with retries, for what is written to the outside world. Imports nothing of ours. */

export { type Clock, systemClock } from './clock.ts';
export { KeyedQueue } from './keyed-queue.ts';
export { retryMs } from './retry.ts';
export { Throttle } from './throttle.ts';
