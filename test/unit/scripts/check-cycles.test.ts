import test from 'ava';
import { circlesOf } from '../../../scripts/check-cycles.ts';

test('files that reach each other are one circle, in whatever order they are looked at', (t) => {
  const edges: [string, string[]][] = [
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', ['e']],
    ['e', []],
  ];
  t.deepEqual(circlesOf(new Map(edges)), [['a', 'b', 'c']]);
  t.deepEqual(circlesOf(new Map(edges.toReversed())), [['a', 'b', 'c']]);
});

test('two circles with a bridge are two; a chain and a diamond are none', (t) => {
  const bridge = { a: ['b'], b: ['a', 'c'], c: ['d'], d: ['c'] };
  t.deepEqual(circlesOf(new Map(Object.entries(bridge))).toSorted(), [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  t.deepEqual(circlesOf(new Map(Object.entries({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))), []);
});
