import test from 'ava';
import fc from 'fast-check';
import { didYouMean, editDistance, nearestKey } from '../../../src/std/index.ts';

const kinds = ['HTTPRoute', 'TLSRoute', 'Gateway'];

test('a word that is nearly a known one is taken for it, whatever its case', (t) => {
  t.is(didYouMean('HTTPRuote', kinds), '; did you mean "HTTPRoute"?', 'two neighbours swapped are one error');
  t.is(didYouMean('httproute', kinds), '; did you mean "HTTPRoute"?');
  t.is(didYouMean('Ingress', kinds), '');
  t.is(didYouMean('Gate', kinds), '', 'more than a third of the letters are missing');
});

test('a key may be half wrong', (t) => {
  t.is(nearestKey('debonce', ['debounce', 'dataplane']), 'debounce');
  t.is(nearestKey('egde', ['edge', 'other']), 'edge');
  t.is(nearestKey('ab', ['cdef']), undefined);
  t.is(nearestKey('x', []), undefined);
});

test('a hostile name costs nothing and is near to nothing', (t) => {
  t.is(nearestKey('x'.repeat(100_000), ['debounce', 'x'.repeat(60_000)]), undefined);
});

test('a distance with a bound is the distance, or infinite above it', (t) => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
  fc.assert(
    fc.property(letters, letters, fc.integer({ min: 0, max: 5 }), (a, b, atMost) => {
      const distance = editDistance(a, b);
      t.is(editDistance(a, b, atMost), distance <= atMost ? distance : Number.POSITIVE_INFINITY);
      t.is(editDistance(b, a), distance);
    }),
  );
  t.is(editDistance('abcd', 'acbd'), 1);
  t.is(editDistance('abcd', 'badc'), 2);
  t.is(editDistance('', 'abc'), 3);
});
