import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { heavyTests, repeatingTests } from '../../../scripts/heavy-tests.ts';
import { root } from '../../../scripts/paths.mjs';

test('every heavy file is there', (t) => {
  for (const file of Object.keys(heavyTests)) t.true(existsSync(join(root, file)), file);
});

test('a file that repeats less in npm test is among those of which test:heavy does all', (t) => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file));
  const asking = files.filter((file) => /from '.*\/repetitions\.ts'/.test(readFileSync(join(root, file), 'utf8')));
  t.deepEqual(asking.sort(), Object.keys(repeatingTests).sort());
  for (const file of asking) t.false(Object.hasOwn(heavyTests, file), file);
});
