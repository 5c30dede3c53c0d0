import test from 'ava';
import { freshForMs } from '../../../src/keys/interval.ts';

const cases: Readonly<Record<string, number>> = {
  'no-store': 5,
  'max-age=0': 1,
  'public, max-age=600': 10,
  'MAX-AGE="1200"': 20,
  'max-age=99999999': 60,
  's-maxage=30': 5,
  'max-age=-5': 5,
};

for (const [header, minutes] of Object.entries(cases))
  test(`${header}: ${minutes} min`, (t) => {
    t.is(freshForMs(header), minutes * 60_000);
  });

test('without a header: 5 min', (t) => {
  t.is(freshForMs(undefined), 300_000);
});
