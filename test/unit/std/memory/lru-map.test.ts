import test from 'ava';
import { LruMap } from '../../../../src/std/memory/index.ts';

test('what was set last is there, what was set long ago is not, and what is set again is recent again', (t) => {
  const recent = new LruMap<number, string>(8);
  for (let key = 0; key < 100; key++) {
    recent.set(key, `${key}`);
    recent.set(0, 'again');
    for (let last = Math.max(1, key - 3); last <= key; last++) t.is(recent.get(last), `${last}`);
    t.is(recent.get(0), 'again');
  }
  const left = Array.from({ length: 99 }, (_, index) => index + 1).filter((key) => recent.get(key) !== undefined);
  t.true(left.length <= 8, left.join(' '));
});
