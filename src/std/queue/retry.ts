import { backoffMs } from '../backoff.ts';

/**
 * How long to wait before attempt number `failures + 1`: from 100 ms to 5 s. No longer than 5 s: so soon after an outage all shall be well.
 */
export const retryMs = (failures: number, random?: () => number): number =>
  backoffMs(failures, { baseMs: 100, maxMs: 5_000, ...(random && { random }) });
