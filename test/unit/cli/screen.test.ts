import test from 'ava';
import { rowsShower, textShower } from '../../../src/cli/kit/screen.ts';
import { age } from '../../../src/cli/kit/table.ts';

interface Row {
  readonly name: string;
  readonly ready: string;
  readonly since: string;
}

const columns = (now: Date) => [
  { heading: 'name', cell: ({ name }: Row) => name },
  { heading: 'ready', cell: ({ ready }: Row) => ready },
  { heading: 'age', cell: ({ since }: Row) => age(since, now) },
];

function screen(isTerminal: boolean) {
  const written: string[] = [];
  return { written, isTerminal, write: (text: string) => void written.push(text) };
}

test('without a terminal, rows that are new, different or gone are appended', (t) => {
  const paper = screen(false);
  const show = rowsShower<Row>(paper, { columns, idOf: ({ name }) => name });
  const since = new Date().toISOString();
  const first = [
    { name: 'a', ready: 'no', since },
    { name: 'b', ready: 'yes', since },
  ];
  const second = [{ name: 'a', ready: 'yes', since }];
  show(first, undefined);
  show(first, first);
  show(second, first);
  t.is(paper.written.length, 2);
  t.regex(paper.written[0] ?? '', /^NAME +READY +AGE\na +no +\d+s\nb +yes +\d+s\n$/);
  t.regex(paper.written[1] ?? '', /^a +yes +\d+s\nb +yes +\d+s {3}\(gone\)\n$/);
});

test('a terminal is drawn again, and a text that says the same is not said again', (t) => {
  const glass = screen(true);
  const show = textShower<number>(glass, (value) => `${value >> 1}`);
  for (const value of [2, 3, 4]) show(value);
  t.deepEqual(glass.written, ['\u001b[2J\u001b[H1\n', '\u001b[2J\u001b[H2\n']);
});
