import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { crdDir, inferenceCrdDir, ownCrdDir } from '../../../scripts/paths.mjs';
import { patternEngine } from '../../../src/sources/directory/validate/pattern-engine.ts';

function* patternsIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'pattern' && typeof value === 'string') yield value;
    else yield* patternsIn(value);
  }
}

const files = [crdDir('experimental'), inferenceCrdDir(), ownCrdDir].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file)),
);
const patterns = new Set(
  files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => [...patternsIn(document.toJS())]),
  ),
);

// A pattern that tries every way to cut these up would not end before the machine does.
test('no value makes a pattern of a definition take for ever', (t) => {
  t.true(patterns.size > 20);
  for (const pattern of patterns) {
    const compiled = patternEngine(pattern, '');
    for (const part of ['x', 'a-', 'A.', '0', '1h', 'a.a', '/a', 'a/', '%41', ' x', '*.', 'http://a', '9,'])
      for (const end of ['\u202E', '!', ' ', '\n']) t.is(typeof compiled.test(part.repeat(1_000) + end), 'boolean');
  }
});

test('header values are judged by what their pattern says', (t) => {
  const compiled = patternEngine('^[!-~]+([\\t ]?[!-~]+)*$', '');
  for (const value of ['x', 'a b', 'a\tb c', 'x'.repeat(4_096)]) t.true(compiled.test(value), value);
  for (const value of ['', ' x', 'a  b', 'x ', 'ü', `${'x'.repeat(4_095)}\u202E`]) t.false(compiled.test(value), value);
});
