/** What a TAP stream has told so far. */
export type Tally = {
  readonly passed: number;
  readonly failed: number;
};

/** The tally of an empty stream. */
export const newTally = (): Tally => ({ passed: 0, failed: 0 });

/** The tally after one more line. Skipped tests and those yet to be written count as neither. */
export function readTapLine(tally: Tally, line: string): Tally {
  if (/^(?:not )?ok .*# (?:SKIP|TODO)\b/.test(line)) return tally;
  if (/^ok \d/.test(line)) return { ...tally, passed: tally.passed + 1 };
  if (/^not ok \d/.test(line)) return { ...tally, failed: tally.failed + 1 };
  return tally;
}

/** Whether a run with this tally and exit status is a failed one: also if no test ran, or the runner itself failed. */
export function isFailure({ passed, failed }: Tally, status: number | null): boolean {
  return passed === 0 || failed > 0 || status !== 0;
}

/** `N passed, N failed`. A failed run has at least one failure. */
export function summaryOf(tally: Tally, status: number | null): string {
  const failed = isFailure(tally, status) ? Math.max(tally.failed, 1) : 0;
  return `${tally.passed} passed, ${failed} failed`;
}
