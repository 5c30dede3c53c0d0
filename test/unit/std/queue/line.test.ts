import test from 'ava';
import { Line } from '../../../../src/std/queue/line.ts';

const takeAll = (line: Line): string[] => {
  const taken: string[] = [];
  for (let key = line.take(); key !== undefined; key = line.take()) taken.push(key);
  return taken;
};

test('keys leave in the order in which they came, each once', (t) => {
  const line = new Line();
  for (const key of ['a', 'b', 'a', 'c', 'b']) line.add(key);
  t.deepEqual(takeAll(line), ['a', 'b', 'c']);
});

test('one that comes again while others leave goes to the end', (t) => {
  const line = new Line();
  for (const key of ['a', 'b', 'c']) line.add(key);
  t.is(line.take(), 'a');
  line.add('a');
  line.add('b');
  t.deepEqual(takeAll(line), ['b', 'c', 'a']);
});

test('what comes after the line was empty leaves too', (t) => {
  const line = new Line();
  t.is(line.take(), undefined);
  line.add('a');
  t.deepEqual(takeAll(line), ['a']);
  line.add('b');
  t.deepEqual(takeAll(line), ['b']);
  line.add('c');
  line.clear();
  line.add('d');
  t.deepEqual(takeAll(line), ['d']);
});

test('thousands that come and leave by turns keep their order', (t) => {
  const line = new Line();
  const taken: (string | undefined)[] = [];
  // The set behind it is laid out again many times meanwhile.
  for (let at = 0; at < 20_000; at += 1) {
    line.add(String(at));
    if (at % 3 > 0) taken.push(line.take());
  }
  taken.push(...takeAll(line));
  t.deepEqual(
    taken,
    Array.from({ length: 20_000 }, (_, at) => String(at)),
  );
});
