import test from 'ava';
import { isFailure, newTally, readTapLine, summaryOf } from '../../../scripts/tap.ts';

const runOf = test.macro((t, lines: readonly string[], status: number | null, summary: string, failure: boolean) => {
  const tally = lines.reduce(readTapLine, newTally());
  t.is(summaryOf(tally, status), summary);
  t.is(isFailure(tally, status), failure);
});

test(
  'passed and failed tests are counted',
  runOf,
  ['ok 1 - a', 'not ok 2 - b', '    ok in a message'],
  1,
  '1 passed, 1 failed',
  true,
);
test('all passed', runOf, ['ok 1 - a', 'ok 2 - b'], 0, '2 passed, 0 failed', false);
test(
  'skipped tests count as neither',
  runOf,
  ['ok 1 - a', 'ok 2 - b # SKIP', 'not ok 3 - c # TODO'],
  0,
  '1 passed, 0 failed',
  false,
);
test('no test is a failure', runOf, ['TAP version 13', '1..0'], 0, '0 passed, 1 failed', true);
test('a runner that breaks after its tests is a failure', runOf, ['ok 1 - a'], 1, '1 passed, 1 failed', true);
test('a runner that was killed is a failure', runOf, ['ok 1 - a'], null, '1 passed, 1 failed', true);
