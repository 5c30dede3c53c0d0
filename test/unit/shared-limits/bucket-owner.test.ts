import test from 'ava';
import { BucketOwner } from '../../../src/shared-limits/bucket-owner.ts';
import { toEnd } from '../../../src/std/steps/index.ts';
import { limitTake } from '../../support/limit-take.ts';

const take = limitTake.bind(undefined, 'n/p/b|10/1000/10');

test('buckets are forgotten when they are full again, and not before', (t) => {
  let now = 0;
  const owner = new BucketOwner({ now: () => now });
  owner.take('g/a', take('one'));
  owner.take('g/a', take('two', { wanted: 5 }));
  owner.take('g/b', take('one'));
  t.is(owner.size, 3);
  now = 100;
  toEnd(owner.sweeping());
  t.is(owner.size, 1);
  now = 500;
  toEnd(owner.sweeping());
  t.is(owner.size, 0);
});

test('of too many keys the one used last the longest ago is forgotten, and agents know what was taken of it', (t) => {
  const owner = new BucketOwner({ now: () => 0, maxKeys: 2 });
  const first = owner.take('g/a', take('one', { wanted: 4 }));
  t.is(first?.granted, 4);
  owner.take('g/a', take('two'));
  owner.take('g/a', take('three'));
  t.is(owner.size, 2);
  const again = owner.take('g/a', take('one', { wanted: 10, owner: first?.owner, debts: first?.debts }));
  t.is(again?.granted, 3, 'half of the six that are left');
  t.not(again?.owner, first?.owner);
});

test('no agent gets more than half of what is left, but one that wants one gets the last', (t) => {
  const owner = new BucketOwner({ now: () => 0 });
  t.deepEqual(
    [100, 100, 100, 100, 100, 1].map((wanted) => owner.take('g/a', take('k', { wanted }))?.granted),
    [5, 2, 1, 1, 1, 0],
  );
  const none = owner.take('g/a', take('k'));
  t.deepEqual([none?.granted, none?.waitMs], [0, 100]);
});
