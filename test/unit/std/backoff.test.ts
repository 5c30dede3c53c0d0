import test from 'ava';
import { Backoff } from '../../../src/std/index.ts';

test('backoff grows to its limit, is never without jitter, and starts over', (t) => {
  const backoff = new Backoff({ baseMs: 100, maxMs: 500, random: () => 0.5 });
  t.deepEqual(
    [backoff.next(), backoff.next(), backoff.next(), backoff.next(), backoff.next()],
    [75, 150, 300, 375, 375],
  );
  backoff.reset();
  t.is(backoff.next(), 75);
  const least = new Backoff({ baseMs: 100, maxMs: 500, random: () => 0 });
  t.is(least.next(), 50, 'at least half of the step');
  t.is(least.next(700), 700, 'and no less than the server asks for');
});
