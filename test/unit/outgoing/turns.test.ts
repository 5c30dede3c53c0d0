import test from 'ava';
import { OutgoingError, Turns } from '../../../src/outgoing/index.ts';

const never = new AbortController().signal;

test('no more than so many run at once, and the others in the order in which they came', async (t) => {
  const turns = new Turns({ most: 2, maxWaiting: 10 });
  const begun: number[] = [];
  const finish: (() => void)[] = [];
  const all = [0, 1, 2, 3].map((number) =>
    turns.take(never, () => {
      begun.push(number);
      return new Promise<void>((resolve) => finish.push(resolve));
    }),
  );
  await Promise.resolve();
  t.deepEqual(begun, [0, 1]);
  finish[0]?.();
  await all[0];
  t.deepEqual(begun, [0, 1, 2]);
  finish[1]?.();
  await all[1];
  t.deepEqual(begun, [0, 1, 2, 3]);
  finish[2]?.();
  finish[3]?.();
  await Promise.all(all);
});

test('who leaves while waiting gives up the place in line', async (t) => {
  const turns = new Turns({ most: 1, maxWaiting: 1 });
  let finish = () => {};
  const first = turns.take(never, () => new Promise<void>((resolve) => (finish = resolve)));
  const leaving = new AbortController();
  const second = turns.take(leaving.signal, async () => {});
  t.true(turns.isFull);
  leaving.abort();
  await t.throwsAsync(second, { instanceOf: OutgoingError });
  t.false(turns.isFull);
  finish();
  await first;
  await turns.take(never, async () => t.pass());
});

test('work that fails gives its place on', async (t) => {
  const turns = new Turns({ most: 1, maxWaiting: 1 });
  await t.throwsAsync(turns.take(never, () => Promise.reject(new Error('no'))));
  t.is(await turns.take(never, async () => 1), 1);
});
