export type Verdict = 'passed' | 'failed' | 'skipped';

/** What a run of the suite came to. */
export interface Results {
  /** By the suite's short name, such as HTTPRouteSimpleSameNamespace. */
  readonly tests: ReadonlyMap<string, Verdict>;
  /** The suite came to its end; else it crashed, was interrupted, or never got its base resources ready. */
  readonly isFinished: boolean;
  /** What it said of itself as a whole. It can fail although no test did: it writes its report at the end. */
  readonly hasPassed: boolean;
}

const verdicts = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' } as const;
/** Deeper names are parts of a test, whose failure is the test's as well. */
const test = /^\s*--- (PASS|FAIL|SKIP): TestConformance\/([^/\s]+) \(/;
const suite = /^--- (PASS|FAIL): TestConformance \(/;

/** Reads the output of `go test -v` or of a test binary with `-test.v`. */
export function parseResults(output: string): Results {
  const tests = new Map<string, Verdict>();
  let isFinished = false;
  let hasPassed = false;
  for (const line of output.split('\n')) {
    const [, verdict, name] = test.exec(line) ?? [];
    if (name !== undefined) tests.set(name, verdicts[verdict as keyof typeof verdicts]);
    const [, whole] = suite.exec(line) ?? [];
    if (whole === undefined) continue;
    isFinished = true;
    hasPassed = whole === 'PASS';
  }
  return { tests, isFinished, hasPassed };
}

/** Names of tests that did so, in alphabetical order. */
export const namesOf = ({ tests }: Results, verdict: Verdict): string[] =>
  [...tests]
    .filter(([, is]) => is === verdict)
    .map(([name]) => name)
    .sort();
