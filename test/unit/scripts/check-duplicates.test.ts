import test from 'ava';
import { duplicatesOf, tokensOf } from '../../../scripts/check-duplicates.ts';

const body = (name: string) => Array.from({ length: 20 }, (_, at) => `  ${name}.set(${at}, 'x');`).join('\n');
const found = (sources: Record<string, string>) =>
  duplicatesOf(new Map(Object.entries(sources).map(([file, source]) => [file, tokensOf(source)])));

test('a run of code at two places is found once, with both places, whatever its comments and line breaks', (t) => {
  const copy = `// another comment\n${body('map').replaceAll(';\n', ';\n\n')}`;
  t.deepEqual(found({ a: `const one = 1;\n${body('map')}`, b: copy }), ['b:2: 180 tokens as at a:2']);
});

test('code that is only alike, and imports, are no copies', (t) => {
  t.deepEqual(found({ a: body('left'), b: body('right') }), []);
  const imports = Array.from({ length: 20 }, (_, at) => `import { a${at}, b${at} } from './x.ts';`).join('\n');
  t.deepEqual(found({ a: imports, b: imports }), []);
});
