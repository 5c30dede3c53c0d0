import test from 'ava';
import { UnderWay } from '../../../src/agent/limits/under-way.ts';
import { type ConcurrentBucket, parseConcurrentBuckets } from '../../../src/contracts/index.ts';

const bucket: ConcurrentBucket = { id: 'n/p/b', status: 429, most: 2, key: [] };
const from = (target: string, ...buckets: readonly Partial<ConcurrentBucket>[]) => ({
  target,
  buckets: buckets.map((more) => ({ ...bucket, ...more })),
});
const none = new Map<string, string>();
const said = () => undefined;

test('as many are under way as the bucket says, and what has ended makes room once', (t) => {
  const underWay = new UnderWay();
  const take = () => underWay.take(from('r', {}), none, said);
  const [first, second, third] = [take(), take(), take()];
  t.deepEqual([first?.full, second?.full, third?.full?.id], [undefined, undefined, 'n/p/b']);
  first?.release();
  first?.release();
  third?.release();
  t.deepEqual([take().full, take().full?.id], [undefined, 'n/p/b']);
  t.is(underWay.size, 1);
});

test('keys, targets and networks have counts of their own, and none is kept when nothing is under way', (t) => {
  const underWay = new UnderWay();
  const one = { most: 1, key: [{ header: 'x-user' }] };
  const take = (headers: ReadonlyMap<string, string>, target = 'r', more: Partial<ConcurrentBucket> = one) =>
    underWay.take(from(target, more), headers, said);
  const user = (name: string) => new Map([['x-user', name]]);
  const held = [take(user('a')), take(user('b')), take(user('a'), 's'), take(none)];
  t.deepEqual(
    held.map(({ full }) => full),
    [undefined, undefined, undefined, undefined],
  );
  t.is(take(user('a')).full?.id, 'n/p/b');
  t.is(take(none).full?.id, 'n/p/b', 'without the header all are one');
  const exempt = Array.from({ length: 3 }, () => take(none, 'r', { ...one, exempt: true }));
  t.true(exempt.every(({ full }) => full === undefined));
  for (const each of held) each.release();
  t.is(underWay.size, 0);
  const network = { most: 1, key: [{ header: 'x-address', v4Prefix: 24, v6Prefix: 64 }] };
  const at = (address: string) => take(new Map([['x-address', address]]), 'r', network).full?.id;
  t.deepEqual(
    [at('192.0.2.1'), at('192.0.2.9'), at('192.0.3.1'), at('2001:db8::1'), at('2001:db8::2'), at('2001:db8:0:1::1')],
    [undefined, 'n/p/b', undefined, undefined, 'n/p/b', undefined],
  );
});

test('the first full bucket rejects, and gives back what those before it took; on trial it only says so', (t) => {
  const underWay = new UnderWay();
  const wide = { id: 'n/p/wide', most: 5 };
  const held = underWay.take(from('r', wide, { most: 1 }), none, said);
  t.is(underWay.take(from('r', wide, { most: 1 }), none, said).full?.id, 'n/p/b');
  const trial = underWay.take(from('r', { most: 1, shadow: true }), none, said);
  t.deepEqual([trial.full, trial.shadowed], [undefined, ['n/p/b']]);
  held.release();
  trial.release();
  t.is(underWay.size, 0);
});

test('texts that are no buckets are none', (t) => {
  const some = { target: 'r', buckets: [bucket] };
  t.deepEqual(parseConcurrentBuckets(JSON.stringify(some)), some);
  for (const text of ['', 'null', '7', '{}', '{"target":"r"}', '{"target":1,"buckets":[]}', '[', '{"buckets":[]}'])
    t.is(parseConcurrentBuckets(text), undefined, text);
});
