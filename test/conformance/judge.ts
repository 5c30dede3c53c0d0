import { namesOf, type Results } from './results.ts';

/** Test names in a list file: one a line, `#` begins a comment. */
export const parseList = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');

export interface JudgeOptions {
  /** Tests that may fail for now. */
  readonly knownFailures: readonly string[];
  /** Everything was asked for, so a known failure must have been among it. */
  readonly isWhole: boolean;
}

/**
 * What is wrong with a run, for people; empty when nothing is. The list of known failures may only shrink: a test that is
 * not on it must not fail, and one that is on it must not pass.
 */
export function judge(results: Results, { knownFailures, isWhole }: JudgeOptions): string[] {
  const failed = namesOf(results, 'failed');
  const passed = new Set(namesOf(results, 'passed'));
  const faults = failed.filter((name) => !knownFailures.includes(name)).map((name) => `${name} failed`);
  for (const name of knownFailures) {
    if (passed.has(name)) faults.push(`${name} passes now: remove it from known-failures.txt`);
    else if (isWhole && !results.tests.has(name))
      faults.push(`${name} is no test of this run: remove it from known-failures.txt`);
  }
  if (!results.isFinished) faults.push('the suite did not come to its end');
  else if (!results.hasPassed && failed.length === 0)
    faults.push('the suite failed, and none of its tests did: see output.log');
  if (results.tests.size === 0) faults.push('no test was run');
  return faults;
}
