import test from 'ava';
import { isFailure, newTally, readLine, summaryOf } from '../../../scripts/tally.ts';

const runOf = test.macro((t, lines: readonly string[], status: number | null, summary: string, failure: boolean) => {
  const tally = lines.reduce(readLine, newTally());
  t.is(summaryOf(tally, status), summary);
  t.is(isFailure(tally, status), failure);
});

const PASS = '  ✔ folder › file › title (1.2s)';

test('all passed', runOf, [PASS, PASS, '  ─', '', '  2 tests passed'], 0, '2 passed, 0 failed', false);
test('some failed', runOf, [PASS, '  ✘ [fail]: a', PASS, '  1 test failed'], 1, '2 passed, 1 failed', true);
test(
  'failures outside of tests',
  runOf,
  [PASS, '  1 hook failed', '  1 uncaught exception'],
  1,
  '1 passed, 2 failed',
  true,
);
test(
  'a test that takes too long',
  runOf,
  [PASS, '  1 test remained pending after a timeout'],
  1,
  '1 passed, 1 failed',
  true,
);
test(
  'skipped tests count as neither',
  runOf,
  [PASS, '  - [skip] a', '  1 test skipped'],
  0,
  '1 passed, 0 failed',
  false,
);
test('no test is a failure', runOf, ["  Couldn't find any files to test"], 0, '0 passed, 1 failed', true);
test('a runner that breaks after its tests is a failure', runOf, [PASS], 1, '1 passed, 1 failed', true);
test('a runner that was killed is a failure', runOf, [PASS], null, '1 passed, 1 failed', true);
