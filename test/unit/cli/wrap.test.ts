import test from 'ava';
import { wrapped } from '../../../src/cli/kit/wrap.ts';

test('lines that fit, and lines of no terminal, stay as they are', (t) => {
  t.deepEqual(wrapped(['  a b c', ''], 7), ['  a b c', '']);
  t.deepEqual(wrapped(['a'.repeat(200)], undefined), ['a'.repeat(200)]);
});

test('a line that is too long goes on further in, between words', (t) => {
  t.deepEqual(wrapped(['  one two three four'], 12), ['  one two', '    three', '    four']);
});

test('a word that is longer than a line stays whole', (t) => {
  t.deepEqual(wrapped(['  see https://example.com/very/long yes'], 12), [
    '  see',
    '    https://example.com/very/long',
    '    yes',
  ]);
  t.deepEqual(wrapped(['x'.repeat(20)], 12), ['x'.repeat(20)]);
});
