import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../../scripts/paths.mjs';

const folder = join(root, 'build/page');
const assets = join(folder, 'assets');
const kilobytes = 1024;
const entryBudget = 35 * kilobytes;
const pageBudget = 90 * kilobytes;
/** CodeMirror with what it shares with its page, loaded when the text that it edits is there already. */
const editorBudget = 180 * kilobytes;
const isEditor = (name: string): boolean => codeOf(name).includes('cm-editor');

const codeOf = (name: string): string => readFileSync(join(assets, name), 'utf8');
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
/** What a file needs before it runs, and what it loads later. */
const needs = (name: string): string[] => found(codeOf(name), /(?:from|import)"\.\/([^"]+\.js)"/g);
const loads = (name: string): string[] => found(codeOf(name), /import\("\.\/([^"]+\.js)"\)/g);

function withNeeds(names: readonly string[], seen = new Set<string>()): Set<string> {
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    withNeeds(needs(name), seen);
  }
  return seen;
}

const packedSize = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + statSync(join(assets, `${name}.gz`)).size, 0);

const html = readFileSync(join(folder, 'index.html'), 'utf8');
const [script = ''] = found(html, /src="\.\/assets\/([^"]+)"/g);
const styles = found(html, /rel="stylesheet" href="\.\/assets\/([^"]+)"/g);
const entry = withNeeds([script]);

test('the code that every page starts with keeps to its budget', (t) => {
  t.true(entry.size > 1 && styles.length === 1, 'the build is read as it is');
  const size = packedSize(entry);
  t.log(`${size} bytes`);
  t.true(size <= entryBudget, `${size} bytes packed by gzip, of at most ${entryBudget}`);
});

test('every first page keeps to its budget, with the chart where it has one', (t) => {
  const pages = [...entry].flatMap(loads);
  t.true(pages.length > 5, 'pages are loaded when they are opened');
  for (const page of pages) {
    const charts = loads(page).filter((name) => name.startsWith('chart-'));
    const files = withNeeds([page, ...charts], new Set(entry));
    const size = packedSize([...files, ...styles]);
    t.true(size <= pageBudget, `${page}: ${size} bytes packed by gzip, of at most ${pageBudget}`);
    t.false([...files].some(isEditor), `${page} can be read before the code editor is there`);
  }
});

test('the code editor is loaded by the page that shows it, and keeps to its budget', (t) => {
  const loaded = [...entry].flatMap(loads).flatMap((page) => [...withNeeds([page], new Set(entry))].flatMap(loads));
  const editors = [...new Set(loaded)].filter((name) => [...withNeeds([name], new Set(entry))].some(isEditor));
  t.is(editors.length, 1);
  const editor = withNeeds(editors, new Set(entry));
  const size = packedSize([...editor].filter((name) => !entry.has(name)));
  t.log(`${size} bytes`);
  t.true(size <= editorBudget, `${size} bytes packed by gzip, of at most ${editorBudget}`);
});

test('the chart is loaded by the page that shows it, and by no other', (t) => {
  const charts = readdirSync(assets).filter((name) => /^chart-.*\.js$/.test(name));
  t.is(charts.length, 1);
  t.false(entry.has(charts[0] ?? ''));
});
