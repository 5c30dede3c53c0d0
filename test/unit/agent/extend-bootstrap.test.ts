import test from 'ava';
import { extendBootstrap } from '../../../src/agent/envoy/extend-bootstrap.ts';

const extends_ = test.macro((t, ours: object, addition: object, both: object) => {
  t.deepEqual(extendBootstrap({ ...ours }, { ...addition }), { ...both });
});

test('objects are merged', extends_, { a: { b: 1 } }, { a: { c: 2 }, d: 3 }, { a: { b: 1, c: 2 }, d: 3 });
test('lists are put behind ours', extends_, { a: { b: [1] } }, { a: { b: [2] } }, { a: { b: [1, 2] } });
test(
  'anything else replaces what is there',
  extends_,
  { a: 1, b: [1], c: {} },
  { a: 2, b: {}, c: null },
  { a: 2, b: {}, c: null },
);
test('nothing added is nothing changed', extends_, { a: [1] }, {}, { a: [1] });
