/** What makes the generated code has to load before there is any: on a fresh machine, `npm start` and `npm test` begin with it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { importsOf } from '../../../scripts/check-imports.ts';
import { root } from '../../../scripts/paths.mjs';

/** What a program loads before its first line runs. */
function loadedBy(program: string): readonly string[] {
  const loaded = new Set([program]);
  for (const file of loaded) {
    if (isGenerated(file)) continue;
    for (const { target, typeOnly, isLazy } of importsOf(file, readFileSync(join(root, file), 'utf8')))
      if (!typeOnly && !isLazy) loaded.add(target);
  }
  return [...loaded];
}

const isGenerated = (file: string): boolean => file.includes('/gen/');

test('the walk finds generated code behind what is loaded', (t) => {
  t.true(loadedBy('src/gateway-api/index.ts').some(isGenerated));
});

for (const program of ['scripts/setup.mjs', 'scripts/generate/main.ts'])
  test(`${program} loads nothing that is generated`, (t) => {
    t.true(loadedBy(program).length > 3);
    t.deepEqual(loadedBy(program).filter(isGenerated), []);
  });
