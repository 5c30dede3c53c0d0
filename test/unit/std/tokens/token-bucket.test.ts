import test from 'ava';
import { TokenBucket } from '../../../../src/std/tokens/index.ts';

const slow = { requests: 2, perMs: 1000, burst: 4 };

test('a bucket is full at first, and fills evenly', (t) => {
  const bucket = new TokenBucket([slow]);
  t.is(bucket.left(0), 4);
  bucket.take(0, 4);
  t.deepEqual(
    [bucket.left(0), bucket.left(499), bucket.left(500), bucket.left(1000), bucket.left(9000)],
    [0, 0, 1, 2, 4],
  );
  t.deepEqual([bucket.waitMs(0, 1), bucket.waitMs(100, 2), bucket.waitMs(500, 1)], [500, 900, 0]);
  t.is(bucket.waitMs(0, 5), Number.POSITIVE_INFINITY);
  t.deepEqual([bucket.isFull(1999), bucket.isFull(2000)], [false, true]);
});

test('all windows hold', (t) => {
  const bucket = new TokenBucket([slow, { requests: 3, perMs: 60_000, burst: 3 }]);
  t.is(bucket.left(0), 3);
  bucket.take(0, 3);
  t.is(bucket.left(10_000), 0);
  t.is(bucket.left(20_000), 1);
  t.is(bucket.waitMs(0, 1), 20_000);
});

test('what is given back is there again, and no more than the bucket holds', (t) => {
  const bucket = new TokenBucket([slow]);
  bucket.take(0, 3);
  bucket.giveBack(2);
  t.is(bucket.left(0), 3);
  bucket.giveBack(100);
  t.is(bucket.left(0), 4);
});

test('what another one knows counts if it is more, up to an empty bucket', (t) => {
  const bucket = new TokenBucket([slow]);
  bucket.take(0, 1);
  bucket.owe(0, [400]);
  t.deepEqual(bucket.debts(0), [500]);
  bucket.owe(0, [1e12]);
  t.deepEqual([bucket.debts(0), bucket.left(0)], [[2000], 0]);
  bucket.owe(0, []);
  t.is(bucket.left(500), 1);
});

test('a bucket may be known to owe more than it holds, and is waited for as long', (t) => {
  const bucket = new TokenBucket([slow], { now: 100, debts: [3000] });
  t.deepEqual([bucket.left(100), bucket.waitMs(100, 1), bucket.waitMs(1600, 1)], [0, 1500, 0]);
  t.is(bucket.left(1600), 1);
});

test('what is there is not waited for, however long the clock has run', (t) => {
  const windows = [{ requests: 2, perMs: 3_600_000, burst: 2 }];
  const one = new TokenBucket(windows);
  one.take(439847.82603740675, 1);
  const other = new TokenBucket(windows);
  other.owe(668616.9674221384, one.debts(439847.82603740675));
  t.is(other.left(668616.9674221384), 1);
  t.is(other.waitMs(668616.9674221384, 1), 0);
});
