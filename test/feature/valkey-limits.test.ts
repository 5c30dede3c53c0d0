import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { BucketOwner } from '../../src/shared-limits/bucket-owner.ts';
import { endings } from '../support/endings.ts';
import { connectedStore } from '../support/limit-stores.ts';
import { limitTake } from '../support/limit-take.ts';
import { until } from '../support/until.ts';
import { Valkey } from '../support/valkey.ts';

/* A real Valkey that keeps buckets for several control planes. Windows are of days: no bucket fills while a test runs. */

const test = anyTest as TestFn<{ readonly valkey: Valkey }>;
const ends = endings(test);

const day = 86_400_000;
const cluster = 'default/edge';
let used = 0;
/** No test meets the buckets of another one. */
const fresh = (): string => {
  used += 1;
  return `k${used}`;
};
const take = limitTake.bind(undefined, `n/p/b|10/${day}/10`);

test.before(async (t) => {
  t.timeout(600_000);
  t.context = { valkey: await Valkey.start(ends) };
});

test('control planes that ask one Valkey grant no more together than the limit', async (t) => {
  const stores = await Promise.all([1, 2, 3].map(() => connectedStore(t, t.context.valkey.url)));
  const key = fresh();
  const grants = await Promise.all(
    Array.from({ length: 60 }, async (_, at) => (await stores[at % 3]?.take(cluster, [take(key)]))?.[0]?.granted ?? 0),
  );
  t.is(
    grants.reduce((sum, granted) => sum + granted, 0),
    10,
  );
  const [last] = (await stores[0]?.take(cluster, [take(key)])) ?? [];
  t.is(last?.granted, 0);
  t.true((last?.waitMs ?? 0) > (0.9 * day) / 10, String(last?.waitMs));
});

test('another Gateway, another limit and another prefix have buckets of their own', async (t) => {
  const [one, other] = [
    await connectedStore(t, t.context.valkey.url),
    await connectedStore(t, t.context.valkey.url, 'other:'),
  ];
  const key = fresh();
  const all = take(key, { wanted: 100 });
  const emptied = async (): Promise<number> => {
    let sum = 0;
    for (let left = 1; left > 0; sum += left) left = (await one.take(cluster, [all]))[0]?.granted ?? 0;
    return sum;
  };
  t.is(await emptied(), 10);
  t.is((await one.take('other/edge', [all]))[0]?.granted, 5);
  t.is((await one.take(cluster, [{ ...all, bucket: `n/p/b|20/${day}/20` }]))[0]?.granted, 10);
  t.is((await other.take(cluster, [all]))[0]?.granted, 5);
});

test('what is given back can be taken again, but not by who has it from another bucket', async (t) => {
  const store = await connectedStore(t, t.context.valkey.url);
  const key = fresh();
  const first = (await store.take(cluster, [take(key, { wanted: 5 })]))[0];
  t.is(first?.granted, 5);
  const strange = (await store.take(cluster, [take(key, { wanted: 0, back: 5, owner: 'another' })]))[0];
  t.true((strange?.debts[0] ?? 0) > 0.45 * day);
  const back = (
    await store.take(cluster, [take(key, { wanted: 0, back: 4_000_000_000, owner: first?.owner ?? '' })])
  )[0];
  t.deepEqual(back?.debts, [0]);
  t.deepEqual(await t.context.valkey.ask('KEYS', `*${key}`), [], 'of what is full again nothing is kept');
});

test('what an agent knows counts for a bucket that is new', async (t) => {
  const store = await connectedStore(t, t.context.valkey.url);
  const known = (await store.take(cluster, [take(fresh(), { wanted: 100, debts: [0.8 * day] })]))[0];
  t.is(known?.granted, 1);
  const absurd = (await store.take(cluster, [take(fresh(), { wanted: 100, debts: [Number.MAX_SAFE_INTEGER] })]))[0];
  t.is(absurd?.granted, 0);
  t.true((absurd?.debts[0] ?? 0) <= day, 'no more than a bucket can owe');
});

test('a bucket fills by the clock of the server, and is forgotten when it is full', async (t) => {
  const store = await connectedStore(t, t.context.valkey.url);
  const key = fresh();
  const quick = take(key, { bucket: 'n/p/b|1000/1000/2', wanted: 2 });
  await store.take(cluster, [quick]);
  await until(
    'the bucket to be forgotten',
    async () => ((await t.context.valkey.ask('KEYS', `*${key}`)) as string[]).length === 0,
  );
  t.is((await store.take(cluster, [{ ...quick, wanted: 1 }]))[0]?.granted, 1);
});

test('what is no bucket gets no grant, and others of the message do', async (t) => {
  const store = await connectedStore(t, t.context.valkey.url);
  const grants = await store.take(cluster, [
    take(fresh(), { bucket: 'odd' }),
    take(fresh()),
    take(fresh(), { bucket: '' }),
  ]);
  t.deepEqual(
    grants.map((grant) => grant?.granted),
    [undefined, 1, undefined],
  );
});

test('the script does what control planes do by themselves, with every limit and in every order', async (t) => {
  const store = await connectedStore(t, t.context.valkey.url);
  // A token takes a multiple of 1,728,000 ms: of fractions, a debt that is paid back leaves a rest, which the server forgets after a millisecond.
  const window = fc
    .tuple(
      fc.constantFrom(1, 2, 5, 10, 25, 50),
      fc.integer({ min: 1, max: 30 }).map((days) => days * day),
      fc.integer({ min: 1, max: 80 }),
    )
    .map((parts) => parts.join('/'));
  const step = fc.record({
    wanted: fc.integer({ min: 0, max: 30 }),
    least: fc.integer({ min: 1, max: 12 }),
    used: fc.constantFrom(0, 0, 3, 70),
    back: fc.integer({ min: 0, max: 5 }),
    knows: fc.boolean(),
    // Twelve minutes from a whole number of tokens of any window, so it makes no difference how long the test takes.
    debts: fc.array(
      fc.integer({ min: 0, max: 400 }).map((count) => (count === 0 ? 0 : count * 8_640_000 - 1_000_003)),
      { maxLength: 4 },
    ),
  });
  const property = fc.asyncProperty(
    fc.array(window, { minLength: 1, maxLength: 4 }),
    fc.array(step, { minLength: 1, maxLength: 12 }),
    async (windows, steps) => {
      const model = new BucketOwner({ now: () => 0 });
      const key = fresh();
      let [ours, theirs] = ['', ''];
      for (const { knows, ...step } of steps) {
        const asked = { ...step, bucket: `n/p/b|${windows.join(',')}`, key };
        const expected = model.take(cluster, { ...asked, owner: knows ? theirs : '' });
        const [got] = await store.take(cluster, [{ ...asked, owner: knows ? ours : '' }]);
        // Of one that is full nothing is kept there.
        const isFull = expected?.debts.every((debt) => debt === 0);
        [ours, theirs] = isFull ? ['', ''] : [got?.owner ?? '', expected?.owner ?? ''];
        t.is(got?.granted, expected?.granted);
        for (const [at, debt] of (expected?.debts ?? []).entries())
          t.true(Math.abs((got?.debts[at] ?? 0) - debt) < 120_000);
      }
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
