import test from 'ava';
import { Interner } from '../../../../src/std/memory/index.ts';

test('equal parts are one, others are not, and what was not seen for long is forgotten', (t) => {
  const parts = new Interner(4);
  const first = parts.of({ name: 'a', ports: [80] });
  t.is(parts.of({ name: 'a', ports: [80] }), first);
  t.not(parts.of({ name: 'a', ports: [81] }), first);
  for (let at = 0; at < 8; at += 1) parts.of({ at });
  const again = parts.of({ name: 'a', ports: [80] });
  t.deepEqual(again, first);
  t.not(again, first);
});

test('what is long is not remembered', (t) => {
  const parts = new Interner(4);
  const long = { text: 'x'.repeat(2000) };
  t.is(parts.of(long), long);
  t.not(parts.of({ ...long }), long);
});
