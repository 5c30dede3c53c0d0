import test from 'ava';
import { bannedWordsOf, longSentencesOf } from '../../../scripts/check-vocabulary.ts';

const wordsIn = (file: string, text: string, contract: readonly string[] = []) =>
  bannedWordsOf(file, text, new Set(contract)).map(({ name, line }) => `${name} at ${line.split(':')[1]}`);

test('a banned word is found in comments, in names and in every form', (t) => {
  t.deepEqual(wordsIn('src/a.ts', '// clear\nconst findTold = wished;'), ['told at 2', 'wish at 2']);
  t.deepEqual(wordsIn('src/a.ts', "const whoEver = 'toldo';"), []);
});

test('quoted code of a document and compound names of the contract are left alone, plain words are not', (t) => {
  t.deepEqual(wordsIn('docs/a.md', 'The field `told` is told.'), ['told at 1']);
  t.deepEqual(wordsIn('src/a.ts', 'record.lastRefusal', ['lastRefusal']), []);
  t.deepEqual(wordsIn('src/a.ts', 'refused', ['refused']), ['refuse at 1']);
});

test('a connection or a stream is refused, as the field says; a configuration is not', (t) => {
  t.deepEqual(wordsIn('src/a.ts', 'the connection is refused; it refuses new connections; connectionRefused'), []);
  t.deepEqual(wordsIn('src/a.ts', 'the configuration is refused'), ['refuse at 1']);
});

test('a field, a value and a path keep the name of the contract; the same word in a sentence does not', (t) => {
  t.deepEqual(wordsIn('src/a.ts', "node.refusals; ({ refusals }); outcome === 'refused'; '/v1/nodes/n/refusals'"), []);
  t.deepEqual(wordsIn('src/a.ts', '// its refusals, and what it refused'), ['refuse at 1', 'refuse at 1']);
  t.deepEqual(wordsIn('src/a.ts', 'const refusals = refused(1);'), ['refuse at 1', 'refuse at 1']);
});

const long = `The ${'very '.repeat(35)}end.`;

test('a sentence over 35 words is found where it begins; two short ones are not', (t) => {
  t.is(
    longSentencesOf('docs/a.md', `# Title\n\nShort.\n\n${long}`)[0]?.line,
    'docs/a.md:5: a sentence of 37 words, at most 35',
  );
  t.deepEqual(longSentencesOf('docs/a.md', `The ${'very '.repeat(20)}end.\nThe ${'very '.repeat(20)}end.`), []);
});

test('tables, ordered lists and code are no prose', (t) => {
  t.deepEqual(longSentencesOf('docs/a.md', `| ${long} |\n1. ${long}\n\n\`\`\`\n${long}\n\`\`\`\n`), []);
});
