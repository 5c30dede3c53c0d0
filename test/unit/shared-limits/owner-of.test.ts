import test from 'ava';
import { ownerOf } from '../../../src/shared-limits/owner-of.ts';

const names = Array.from({ length: 300 }, (_, at) => `default/edge default/p/b key-${at}`);

test('all replicas name the same owner, and keys are spread', (t) => {
  const counts = new Map<string, number>();
  for (const name of names) {
    const owner = ownerOf(name, ['a', 'b', 'c']) ?? '';
    t.is(ownerOf(name, ['c', 'b', 'a']), owner);
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  t.true(
    [...counts.values()].every((count) => count > 60),
    JSON.stringify([...counts]),
  );
  t.is(ownerOf('x', []), undefined);
});

test('a replica that goes moves no key of the others', (t) => {
  for (const name of names) {
    const owner = ownerOf(name, ['a', 'b', 'c']);
    if (owner !== 'c') t.is(ownerOf(name, ['a', 'b']), owner);
  }
});
