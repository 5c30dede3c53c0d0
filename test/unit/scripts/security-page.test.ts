import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../../scripts/paths.mjs';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/security.md');
const attacks = readdirSync(join(root, 'test/attack')).filter((file) => file.endsWith('.test.ts'));

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The titles of a file's tests. Those of a table have gaps, which are expressions that match anything. */
function titlesOf(path: string): RegExp[] {
  const calls = read(path).matchAll(/\btest(?:\.serial)?\)*\(\s*(['"`])((?:\\.|(?!\1).)+)\1/gs);
  return [...calls].flatMap(([, , title = '']) => {
    const pieces = title.replace(/\\(['"`])/g, '$1').split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/);
    // A title that is all gaps would be any.
    if (pieces.join('').length < 8) return [];
    return new RegExp(`^${pieces.map(literal).join('.+')}$`);
  });
}

/** Lines of tables of threats: `| threat | defence | test |`. */
const threats = page
  .split(/\n(?=## )/)
  .filter((section) => section.includes('| threat | defence | test |'))
  .flatMap((section) => section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| threat |')));

test('every threat has a defence and a test, which is there under its name', (t) => {
  t.true(threats.length > 25);
  for (const line of threats) {
    const [threat = '', defence = '', proof = ''] = line.split(' | ');
    t.true(threat.length > 2 && defence.length > 2, line);
    const [, path = '', title = ''] = /^\[[\w-]+\]\(\.\.\/(test\/[\w/.-]+) "(.+)"\) \|$/.exec(proof) ?? [];
    t.not(path, '', line);
    t.true(
      titlesOf(path).some((known) => known.test(title)),
      `${path}: ${title}`,
    );
  }
});

test('every attack is on the page, and in the list of its folder', (t) => {
  const list = read('test/attack/README.md');
  for (const file of attacks) {
    t.true(page.includes(`(../test/attack/${file} "`), `docs/security.md: ${file}`);
    t.true(list.includes(`| \`${file}\` |`), `test/attack/README.md: ${file}`);
  }
});

test('README, the page and SECURITY.md lead to each other', (t) => {
  for (const link of ['docs/security.md', 'SECURITY.md']) t.true(read('README.md').includes(`(${link})`), link);
  t.true(read('SECURITY.md').includes('(docs/security.md)'));
  t.true(page.includes('(../SECURITY.md)'));
});
