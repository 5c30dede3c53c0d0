import test from 'ava';
import { checkKeys, keyParsingOf } from '../../../scripts/check-keys.ts';
import { root } from '../../../scripts/paths.mjs';

test('text that is split at a slash or space is found, with its line', (t) => {
  const source = "const a = 1;\nconst [namespace] = key.split('/');\nconst at = key.indexOf(' ', 3);";
  t.deepEqual(
    keyParsingOf('a.ts', source).map((line) => line.slice(0, line.indexOf('…'))),
    ["a.ts:2: .split('/'", "a.ts:3: .indexOf(' '"],
  );
  t.is(keyParsingOf('a.ts', 'key.lastIndexOf("/"); key.split(/\\//);').length, 2);
});

test('other separators are no concern', (t) => {
  t.deepEqual(keyParsingOf('a.ts', "list.split(','); path.indexOf('//'); text.split('\\n');"), []);
});

test('no source parses keys but those that make them', (t) => {
  t.deepEqual(Object.values(checkKeys(root)).flat(), []);
});
