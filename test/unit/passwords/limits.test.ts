import test from 'ava';
import { FailureBudget, ownerOf } from '../../../src/passwords/failure-budget.ts';
import { FairQueue } from '../../../src/passwords/fair-queue.ts';

test('owners take turns, each in its own order', (t) => {
  const queue = new FairQueue<string>({ each: 9, all: 9 });
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) t.is(queue.push(item.charAt(0), item), 'taken');
  t.deepEqual(
    Array.from({ length: 7 }, () => queue.shift()),
    ['a1', 'b1', 'c1', 'a2', 'c2', 'a3', undefined],
  );
  t.is(queue.size, 0);
});

test('too much of one owner, and of all, is not taken', (t) => {
  const queue = new FairQueue<number>({ each: 2, all: 3 });
  const pushed = [queue.push('a', 1), queue.push('a', 2), queue.push('a', 3), queue.push('b', 4), queue.push('b', 5)];
  t.deepEqual(pushed, ['taken', 'taken', 'each', 'taken', 'all']);
});

test('what is removed waits no longer, and leaves room', (t) => {
  const queue = new FairQueue<number>({ each: 2, all: 2 });
  queue.push('a', 1);
  queue.push('a', 2);
  queue.remove('a', 1);
  queue.remove('a', 7);
  queue.remove('b', 2);
  t.is(queue.push('b', 3), 'taken');
  t.deepEqual([queue.shift(), queue.shift(), queue.shift()], [2, 3, undefined]);
});

test('an address has so many wrong passwords, and gets them back one by one', (t) => {
  let now = 0;
  const budget = new FailureBudget({ burst: 2, refillMs: 1000 }, () => now);
  budget.failed('a');
  t.true(budget.allows('a'));
  budget.failed('a');
  t.false(budget.allows('a'));
  t.true(budget.allows('b'));
  now = 999;
  t.false(budget.allows('a'));
  now = 1000;
  t.true(budget.allows('a'));
  budget.failed('a');
  t.false(budget.allows('a'));
  now = 10_000;
  budget.failed('a');
  t.true(budget.allows('a'), 'nothing is saved up beyond the burst, and nothing owed');
});

test('a client of IPv6 has one budget for all of its addresses', (t) => {
  t.is(ownerOf('2001:db8:1:2:3:4:5:6'), ownerOf('2001:db8:1:2::9'));
  t.not(ownerOf('2001:db8:1:2::9'), ownerOf('2001:db8:1:3::9'));
  t.is(ownerOf('2001:db8::1'), ownerOf('2001:0db8:0:0:ffff::'));
  t.not(ownerOf('::1'), ownerOf('2001:db8::1'));
  t.is(ownerOf('192.0.2.1'), '192.0.2.1');
  t.is(ownerOf('::ffff:192.0.2.1'), '::ffff:192.0.2.1');
  t.is(ownerOf(''), '');
});
