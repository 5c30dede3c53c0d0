const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * How long to wait before attempt number `failures + 1`: doubles from 100 ms to 5 s, and is spread over its upper half
 * so that what failed together does not come back together. No longer than 5 s: so soon after an outage all shall be well.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return whole / 2 + (whole / 2) * random();
}
