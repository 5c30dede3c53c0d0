import test from 'ava';
import fc from 'fast-check';
import { differenceOf, type Step } from '../../../src/xds/session/difference.ts';

const apply = (before: string, steps: readonly Step[]): string =>
  steps.map(({ from, length, insert }) => before.slice(from, from + length) + insert).join('');

const insertedBy = (steps: readonly Step[]): number => steps.reduce((sum, { insert }) => sum + insert.length, 0);

const item = (at: number) => `<endpoint 10.0.${at >> 8}.${at & 255}:8080>`;
const listOf = (items: readonly string[]) => `${items.join('').length};${items.join('')}`;
const thousand = Array.from({ length: 1000 }, (_, at) => item(at));

/** Ways in which a list of endpoints changes, and how many characters at most have to be sent. */
const changes: Readonly<Record<string, { readonly to: readonly string[]; readonly most: number }>> = {
  'nothing changes': { to: thousand, most: 0 },
  'one goes': { to: thousand.toSpliced(400, 1), most: 100 },
  'one comes': { to: thousand.toSpliced(400, 0, item(5000)), most: 100 },
  'one is replaced': { to: thousand.toSpliced(400, 1, item(5000)), most: 100 },
  'the last one goes': { to: thousand.slice(0, -1), most: 100 },
  'one goes, others come in two places': {
    to: thousand.toSpliced(900, 0, item(5001)).toSpliced(400, 0, item(5000)).toSpliced(100, 1),
    most: 300,
  },
  'all go': { to: [], most: 100 },
};

for (const [what, { to, most }] of Object.entries(changes)) {
  test(`of a long list it takes what changes: ${what}`, (t) => {
    const [before, after] = [listOf(thousand), listOf(to)];
    const steps = differenceOf(before, after);
    t.is(apply(before, steps), after);
    t.true(insertedBy(steps) <= most, `${insertedBy(steps)} characters in ${steps.length} steps`);
  });
}

test('whatever both texts are, the steps make the one of the other', (t) => {
  const text = fc.array(fc.constantFrom('ab', '\u0000', '\u00ff'.repeat(50), item(1), item(2), item(3)), {
    maxLength: 200,
  });
  const two = fc.property(text, text, (one, other) => {
    const [before, after] = [one.join(''), other.join('')];
    return apply(before, differenceOf(before, after)) === after;
  });
  t.notThrows(() => fc.assert(two, { numRuns: 500 }));
});

test('texts that have nothing in common are inserted after a search that has an end', (t) => {
  const [before, after] = ['a'.repeat(1 << 20), 'b'.repeat(1 << 20)];
  t.deepEqual(differenceOf(before, after), [{ from: 0, length: 0, insert: after }]);
});
