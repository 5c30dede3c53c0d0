import { setTimeout as sleep } from 'node:timers/promises';

/** Time as the agent sees it, so that tests can hold it still. */
export interface Clock {
  now(): Date;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  delay: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};
