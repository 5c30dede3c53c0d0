import test from 'ava';
import { groupFile } from '../../../scripts/test-groups.ts';
import { describeTimes, longFiles, shortTimes } from '../../../scripts/test-times.ts';

const times = [
  { file: 'short.test.ts', wallSeconds: 0.5, cpuSeconds: 0.4 },
  { file: 'waits.test.ts', wallSeconds: 30.4, cpuSeconds: 1 },
  { file: 'computes.test.ts', wallSeconds: 12, cpuSeconds: 20 },
];

test('only long files are kept, the longest first', (t) => {
  const group = { file: groupFile(1), wallSeconds: 20, cpuSeconds: 1 };
  t.deepEqual(Object.entries(longFiles([...times, group])), [
    ['waits.test.ts', 30],
    ['computes.test.ts', 12],
  ]);
});

test('a file of which only a part is done counts as short, and no other does', (t) => {
  const whole = { 'part.test.ts': 90, 'short-part.test.ts': 2, 'whole.test.ts': 90 };
  const short = shortTimes(whole, { 'part.test.ts': 30, 'short-part.test.ts': 1 });
  t.true((short['part.test.ts'] ?? 0) < 10);
  t.deepEqual(short, { ...whole, 'part.test.ts': short['part.test.ts'] });
});

test('the table is ordered by CPU time and ends with the sum', (t) => {
  const lines = describeTimes(times);
  t.deepEqual(
    lines.slice(1).map((line) => line.trim().split(/ +/)),
    [
      ['12.0', '20.0', 'computes.test.ts'],
      ['30.4', '1.0', 'waits.test.ts'],
      ['0.5', '0.4', 'short.test.ts'],
      ['42.9', '21.4', '3', 'files'],
    ],
  );
});
