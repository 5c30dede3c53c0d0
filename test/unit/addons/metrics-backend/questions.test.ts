import test from 'ava';
import { instantQuestion, rangeQuestion } from '../../../../src/addons/metrics-backend/index.ts';

const range = (step: unknown, end = '2026-01-02T04:00:00Z') => ({
  query: 'up',
  start: '2026-01-02T03:00:00Z',
  end,
  step,
});

const stepIs = test.macro({
  exec: (t, step: string | number, seconds: number) => t.is(rangeQuestion.parse(range(step)).step, seconds),
  title: (_, step) => `a step of ${JSON.stringify(step)} is understood`,
});
test(stepIs, '15s', 15);
test(stepIs, '900', 900);
test(stepIs, 60, 60);
test(stepIs, '1m30s', 90);
test(stepIs, '2.5', 2.5);
test(stepIs, '1d', 86_400);

const rejected = test.macro({
  exec(t, question: object, expected: RegExp) {
    const { error } = rangeQuestion.safeParse(question);
    t.regex(`${error?.issues[0]?.path.join('.')} ${error?.issues[0]?.message}`, expected);
  },
  title: (_, question) => `${JSON.stringify(question)} is rejected`,
});
test(rejected, range('0s'), /^step is not a duration/);
test(rejected, range('soon'), /^step is not a duration/);
test(rejected, range('100ms'), /^step is so short .* 11000 points/);
test(rejected, range('15s', '2026-01-02T02:00:00Z'), /^end is before start/);
test(rejected, range('15s', 'tomorrow'), /^end is not an ISO 8601 time/);
test(rejected, range('15s', '2026-01-02T04:00:00'), /^end is not an ISO 8601 time/);
test(rejected, { ...range('15s'), query: ' ' }, /^query is empty/);
test(rejected, { start: '2026-01-02T03:00:00Z' }, /^query is not text/);

test('times may have an offset', (t) => {
  const { time } = instantQuestion.parse({ query: 'up', time: '2026-01-02T03:04:05.678+01:00' });
  t.is(time?.toISOString(), '2026-01-02T02:04:05.678Z');
});
