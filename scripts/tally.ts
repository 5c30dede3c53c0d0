/** What AVA has reported so far. */
export type Tally = {
  readonly passed: number;
  readonly failed: number;
};

/** The tally before the first line. */
export const newTally = (): Tally => ({ passed: 0, failed: 0 });

/** The summary at the end is no source: it leaves this number out when something failed. */
const PASSED = /^ {2}✔ /;
/** From the summary at the end. Whatever fails outside of a test is a failure too. */
const FAILED =
  /^ {2}(\d+) (?:(?:tests?|hooks?) failed|uncaught exceptions?|unhandled rejections?|tests? remained pending.*)$/;

/**
 * The tally after one more line of AVA's default output. Its TAP output, which would be easier to read, breaks off when
 * a test takes too long (AVA 8.0.1). Skipped tests and those yet to be written count as neither.
 */
export function readLine(tally: Tally, line: string): Tally {
  if (PASSED.test(line)) return { ...tally, passed: tally.passed + 1 };
  const failed = FAILED.exec(line)?.[1] ?? 0;
  return { ...tally, failed: tally.failed + Number(failed) };
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
