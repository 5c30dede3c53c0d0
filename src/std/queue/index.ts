/** Paced, keyed work with retries, for what is written to the outside world. Imports nothing of ours. */
export { backoffMs } from './backoff.ts';
export { type Clock, systemClock } from './clock.ts';
export { KeyedQueue, type KeyedQueueOptions } from './keyed-queue.ts';
