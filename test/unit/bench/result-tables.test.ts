import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readingOf } from '../../../bench/peer/reading.ts';
import { rowsOf } from '../../../bench/peer/rows.ts';
import { markdownTable } from '../../../bench/peer/table.ts';
import { type Kept, pageOf } from '../../../bench/peer/written.ts';
import { root } from '../../../scripts/paths.mjs';

/** Committed tables are those of the figures beside them. UPDATE_GOLDEN writes them again, without a run. */
const folder = join(root, 'bench/results');

for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
  test(`the table beside ${name} is made of it`, (t) => {
    const page = pageOf(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Kept);
    const file = join(folder, name.replace('.json', '.md'));
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, page);
    t.is(readFileSync(file, 'utf8'), page);
  });
}

const turnsOf = (subject: string, figures: Readonly<Record<string, number>>) => ({
  subject,
  turns: [new Map(Object.entries(figures))],
});

test('a table says how its ratios are read, and of which rows more is better', (t) => {
  const what = ['GET: p50, ms', 'GET: requests per second', 'changes @ 10'] as const;
  const rows = rowsOf([
    turnsOf('ours', { [what[0]]: 2, [what[1]]: 100, [what[2]]: 40 }),
    turnsOf('theirs', { [what[0]]: 3, [what[1]]: 150, [what[2]]: 40 }),
  ]);
  t.deepEqual(markdownTable(rows, ['ours', 'theirs']).split('\n'), [
    '| what @ how many | ours | theirs | theirs ÷ ours |',
    '|---|---|---|---|',
    '| GET: p50, ms | 2 | 3 | × 1.5 |',
    '| GET: requests per second (more is better) | 100 | 150 | × 1.5 |',
    '| changes @ 10 (load) | 40 | 40 | × 1 |',
  ]);
  t.is(
    readingOf(rows, ['ours', 'theirs']),
    '“theirs ÷ ours” is the median of theirs, divided by that of ours. Less is better, so a ratio above 1 is good for ours. In rows with “more is better”, a ratio below 1 is. Rows with “load” say how much a program was given to do.',
  );
  t.is(
    readingOf(rows.slice(0, 1), ['ours', 'theirs', 'others']),
    '“× N” is a median, divided by that of ours. Less is better, so a ratio above 1 is good for ours.',
  );
});

test('a table without a ratio says nothing of ratios', (t) => {
  t.is(readingOf(rowsOf([turnsOf('ours', { 'p50, ms': 2 })]), ['ours']), '');
  t.is(readingOf(rowsOf([turnsOf('ours', { failed: 0 }), turnsOf('theirs', { failed: 3 })]), ['ours', 'theirs']), '');
});
