import test from 'ava';
import fc from 'fast-check';
import { withoutFailing } from '../../../src/std/index.ts';

test('all that work together are kept in their order, each that fails is named, and it costs a few calls for each', (t) => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (areGood) => {
      const items = areGood.map((isGood, index) => ({ isGood, index }));
      let calls = 0;
      const { result, failing } = withoutFailing(items, (some) => {
        calls += 1;
        const bad = some.find(({ isGood }) => !isGood);
        if (bad) throw new Error(`${bad.index}`);
        return some.map(({ index }) => index);
      });
      const bad = items.filter(({ isGood }) => !isGood);
      t.deepEqual(
        result,
        items.filter(({ isGood }) => isGood).map(({ index }) => index),
      );
      t.deepEqual([...failing.keys()], bad);
      for (const [{ index }, error] of failing) t.is((error as Error).message, `${index}`);
      t.true(calls <= (bad.length === 0 ? 1 : 2 + 2 * bad.length * Math.ceil(Math.log2(items.length + 1))), `${calls}`);
    }),
  );
});

test('what fails without any item is thrown', (t) => {
  const attempt = () => {
    throw new Error('always');
  };
  t.throws(() => withoutFailing([1, 2], attempt), { message: 'always' });
});
