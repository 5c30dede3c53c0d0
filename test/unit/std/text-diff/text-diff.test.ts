import test from 'ava';
import { applyPatch, createTwoFilesPatch } from 'diff';
import { mostDifferentLines, textDiff } from '../../../../src/std/text-diff/index.ts';

const lines = (count: number, make: (index: number) => string): string =>
  `${Array.from({ length: count }, (_, index) => make(index)).join('\n')}\n`;

test('texts that have much in common are shown as diff -u does', (t) => {
  const [before, after] = [lines(50, String), lines(50, (index) => (index === 20 ? 'other' : String(index)))];
  t.is(textDiff('a', 'b', before, after), createTwoFilesPatch('a', 'b', before, after));
});

test('texts that have too little in common are shown one behind the other, as a patch that leads from one to the other', (t) => {
  const count = 2 * mostDifferentLines;
  const [before, after] = [lines(count, (index) => `a${index}`), lines(count, (index) => `b${index}`)];
  const patch = textDiff('a', 'b', before, after);
  t.regex(patch, /^--- a\n\+\+\+ b\n@@ -1,2000 \+1,2000 @@\n-a0\n/);
  t.is(applyPatch(before, patch), after);
});
