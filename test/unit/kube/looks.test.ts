import test from 'ava';
import { Looks } from '../../../src/kube/looks.ts';

test('looks become rare, and in the long run all of a process come together', (t) => {
  const all = [new Looks(30_000), new Looks(30_000), new Looks(30_000)];
  const firsts = all.map((looks) => looks.next());
  t.true(firsts.every((ms) => ms >= 500 && ms <= 1_000));
  for (let look = 0; look < 8; look += 1) for (const looks of all) looks.next();
  const before = performance.now();
  const times = all.map((looks) => performance.now() + looks.next());
  t.true(Math.max(...times) - Math.min(...times) < 1, 'at one moment');
  t.true(times.every((at) => at > before && at - before <= 30_000.5));
});

test('a server may ask for a longer wait, and what was found is looked for shortly when it is gone', (t) => {
  const looks = new Looks(30_000);
  for (let look = 0; look < 8; look += 1) looks.next();
  t.is(looks.next(90_000), 90_000);
  looks.reset();
  t.true(looks.next() <= 1_000);
});
