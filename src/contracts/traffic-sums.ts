import { durationBounds } from './traffic.ts';

/** What passed: requests, those that failed and those of them that are errors (see traffic-report.ts), and how long they took. */
export interface Sums {
  requests: number;
  failed: number;
  errors: number;
  /** By the first digit of the status; at 0 those without one. */
  readonly classes: number[];
  ms: number;
  /** How many took as long as each of durationBounds, or longer. */
  readonly slower: number[];
  readonly flags: Record<string, number>;
}

export const noSums = (): Sums => ({
  requests: 0,
  failed: 0,
  errors: 0,
  classes: [0, 0, 0, 0, 0, 0],
  ms: 0,
  slower: durationBounds.map(() => 0),
  flags: {},
});

export function addSums(to: Sums, sums: Sums): void {
  to.requests += sums.requests;
  to.failed += sums.failed;
  to.errors += sums.errors;
  to.ms += sums.ms;
  for (const [at, count] of sums.classes.entries()) to.classes[at] = (to.classes[at] ?? 0) + count;
  for (const [at, count] of sums.slower.entries()) to.slower[at] = (to.slower[at] ?? 0) + count;
  for (const [flag, count] of Object.entries(sums.flags)) to.flags[flag] = (to.flags[flag] ?? 0) + count;
}
